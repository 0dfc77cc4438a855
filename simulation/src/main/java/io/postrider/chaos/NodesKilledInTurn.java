package io.postrider.chaos;

import java.time.Duration;
import java.util.List;

/** One node after another gets SIGKILL and is replaced by a new one, until none of the first is left. */
final class NodesKilledInTurn implements Scenario {
    private static final Duration BETWEEN = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "nodes-killed-in-turn";
    }

    @Override
    public String sentence() {
        return "One node after another gets SIGKILL and is replaced by a new one, until none of the first is left.";
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        List<NodeProcess> first = cluster.nodes();
        Moment begin = Moment.now();
        int lanes = 0;
        for (NodeProcess node : first) {
            begin = Moment.now();
            lanes += cluster.killOwner(node);
            cluster.startNode();
            Pause.of(BETWEEN);
        }
        return new Fault(begin, "killed " + first.size() + " nodes with " + lanes + " lanes");
    }
}
