package io.postrider.chaos;

import java.time.Duration;

/** Whatever nodes and PostgreSQL send each other takes 100 ms each way, for 8 s. */
final class SlowNetwork implements Scenario {
    private static final Duration DELAY = Duration.ofMillis(100);
    private static final Duration SLOW = Duration.ofSeconds(8);

    @Override
    public String name() {
        return "slow-network";
    }

    @Override
    public String sentence() {
        return "Whatever nodes and PostgreSQL send each other takes 100 ms each way, for 8 s.";
    }

    @Override
    public Setup setup() {
        return Setup.WIRED;
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        cluster.wires().forEach(wire -> wire.delay(DELAY));
        Pause.of(SLOW);
        cluster.wires().forEach(Wire::heal);
        return Fault.over(cluster.onEachWire(Wire::delayedPieces) + " pieces of data delayed");
    }
}
