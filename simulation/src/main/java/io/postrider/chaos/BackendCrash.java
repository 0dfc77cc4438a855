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
    public Moment strike(Cluster cluster) throws Exception {
        try (Sessions sessions = cluster.sessions()) {
            Signal.KILL.send(sessions.pidsOfNodes().get(0));
        }
        Pause.require("crash recovery", PATIENCE, () -> answers(cluster));
        return Moment.now();
    }

    private static boolean answers(Cluster cluster) throws Exception {
        try (Sessions sessions = cluster.sessions()) {
            return sessions.owners() >= 0;
        } catch (SQLException e) {
            return false;
        }
    }
}
