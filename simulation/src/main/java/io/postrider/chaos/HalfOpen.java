package io.postrider.chaos;

import java.time.Duration;

/** For 5 s nothing gets through to PostgreSQL and no connection closes; those of before stay dead. */
final class HalfOpen implements Scenario {
    private static final Duration SILENT = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "half-open";
    }

    @Override
    public String sentence() {
        return "For 5 s nothing gets through to PostgreSQL and no connection closes; those of before stay dead.";
    }

    @Override
    public Setup setup() {
        return Setup.WIRED;
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        cluster.wires().forEach(Wire::swallow);
        Pause.of(SILENT);
        cluster.wires().forEach(Wire::heal);
        return Fault.over(cluster.onEachWire(Wire::swallowedBytes) + " bytes swallowed");
    }
}
