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
    public Fault strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        int lanes = cluster.killOwner(cluster.nodes().get(0));
        return new Fault(begin, "killed a node with " + lanes + " lanes");
    }
}
