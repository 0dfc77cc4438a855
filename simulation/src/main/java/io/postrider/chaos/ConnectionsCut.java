package io.postrider.chaos;

import java.time.Duration;

/** All connections of the nodes are cut, twice a second for 8 s. */
final class ConnectionsCut implements Scenario {
    private static final int TIMES = 16;
    private static final Duration BETWEEN = Duration.ofMillis(500);

    @Override
    public String name() {
        return "connections-cut";
    }

    @Override
    public String sentence() {
        return "All connections of the nodes are cut, twice a second for 8 s.";
    }

    @Override
    public Setup setup() {
        return Setup.WIRED;
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            cluster.wires().forEach(Wire::cut);
            Pause.of(BETWEEN);
        }
        return Fault.over(cluster.onEachWire(Wire::cutConnections) + " connections cut");
    }
}
