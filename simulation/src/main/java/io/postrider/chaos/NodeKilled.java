package io.postrider.chaos;

/** One node gets SIGKILL and does not come back. */
final class NodeKilled implements Scenario {

    @Override
    public String name() {
        return "node-killed";
    }

    @Override
    public String sentence() {
        return "One node gets SIGKILL and does not come back.";
    }

    @Override
    public Moment strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        cluster.nodes().get(0).kill();
        return begin;
    }
}
