package io.postrider.chaos;

import java.sql.SQLException;
import java.time.Duration;

/** A server process of PostgreSQL gets SIGKILL, upon which all sessions end and it recovers. */
final class BackendCrash implements Scenario {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "backend-crash";
    }

    @Override
    public String sentence() {
        return "A server process of PostgreSQL gets SIGKILL, upon which all sessions end and it recovers.";
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        Vitals before = Vitals.mark(cluster);
        Moment begin = Moment.now();
        try (Sessions sessions = cluster.sessions()) {
            Signal.KILL.send(sessions.pidsOfNodes().get(0));
        }
        Fault.require(Pause.until(PATIENCE, () -> hasRecovered(cluster)), "PostgreSQL did not recover from a crash");
        Fault fault = Fault.over("recovered from its WAL within " + Fault.seconds(begin.age()));
        Fault.require(Vitals.read(cluster).samePostmaster(before), "PostgreSQL was started anew");
        return fault;
    }

    private static boolean hasRecovered(Cluster cluster) {
        try {
            return !Vitals.read(cluster).marked();
        } catch (SQLException e) {
            return false;
        }
    }
}
