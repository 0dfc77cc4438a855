package io.postrider.chaos;

import java.time.Duration;

/** One node gets SIGSTOP, loses its lanes to the others, and gets SIGCONT after 5 s. */
final class NodeFrozen implements Scenario {
    private static final Duration FROZEN = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "node-frozen";
    }

    @Override
    public String sentence() {
        return "One node gets SIGSTOP, loses its lanes to the others, and gets SIGCONT after 5 s.";
    }

    @Override
    public Moment strike(Cluster cluster) throws Exception {
        NodeProcess node = cluster.nodes().get(0);
        Moment begin = Moment.now();
        node.freeze();
        Pause.of(FROZEN);
        node.thaw();
        return begin;
    }
}
