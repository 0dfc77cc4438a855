package io.postrider.chaos;

import java.time.Duration;

/** One node hears nothing of PostgreSQL for 8 s, the others take its lanes, and it comes back. */
final class NodeCutOff implements Scenario {
    private static final Duration SILENT = Duration.ofSeconds(8);

    @Override
    public String name() {
        return "node-cut-off";
    }

    @Override
    public String sentence() {
        return "One node hears nothing of PostgreSQL for 8 s, the others take its lanes, and it comes back.";
    }

    @Override
    public Setup setup() {
        return Setup.WIRED;
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        Wire wire = cluster.wires().get(0);
        try (Sessions sessions = cluster.sessions()) {
            int lanes = sessions.lanesOf(cluster.nodes().get(0));
            wire.swallow();
            Pause.of(SILENT);
            wire.heal();
            Fault.require(lanes > 0, "the node had no lane");
            Fault.require(wire.swallowedBytes() > 0, "the node sent nothing");
            return new Fault(begin, wire.swallowedBytes() + " bytes swallowed, of a node with " + lanes + " lanes");
        }
    }
}
