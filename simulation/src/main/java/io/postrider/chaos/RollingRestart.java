package io.postrider.chaos;

import java.util.List;

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
    public Fault strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        List<NodeProcess> first = cluster.nodes();
        for (NodeProcess node : first) {
            node.terminate();
            Fault.require(node.endedBy(Signal.TERM), node.name() + " did not end by SIGTERM");
            cluster.startNode();
            cluster.awaitOwners();
        }
        return new Fault(begin, first.size() + " nodes replaced in " + Fault.seconds(begin.age()));
    }
}
