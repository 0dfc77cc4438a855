package io.postrider.chaos;

/** Each node in turn gets SIGTERM, hands its lanes back and is replaced; nothing arrives twice. */
final class RollingRestart implements Scenario {

    @Override
    public String name() {
        return "rolling-restart";
    }

    @Override
    public String sentence() {
        return "Each node in turn gets SIGTERM, hands its lanes back and is replaced; nothing arrives twice.";
    }

    @Override
    public Setup setup() {
        return Setup.PLAIN.duplicatesMax(0);
    }

    @Override
    public Moment strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        for (NodeProcess node : cluster.nodes()) {
            node.terminate();
            cluster.startNode();
            cluster.awaitOwners();
        }
        return begin;
    }
}
