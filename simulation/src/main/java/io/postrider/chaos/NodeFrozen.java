package io.postrider.chaos;

import java.time.Duration;

/** One node gets SIGSTOP, loses its lanes to the others, and gets SIGCONT after 5 s. */
final class NodeFrozen implements Scenario {
    private static final Duration FROZEN = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "node-frozen";
    }

    @Override
    public String sentence() {
        return "One node gets SIGSTOP, loses its lanes to the others, and gets SIGCONT after 5 s.";
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        NodeProcess node = cluster.nodes().get(0);
        Moment begin = Moment.now();
        node.freeze();
        Fault.require(Pause.until(PATIENCE, node::frozen), "the node does not stand still");
        Moment frozen = Moment.now();
        Pause.of(FROZEN);
        Fault.require(node.frozen(), "the node went on by itself");
        Fault fault = new Fault(begin, "stood still for " + Fault.seconds(frozen.age()));
        node.thaw();
        Fault.require(Pause.until(PATIENCE, () -> !node.frozen()), "the node does not go on");
        return fault;
    }
}
