package io.postrider.chaos;

import java.io.IOException;
import java.time.Duration;

/** Other sessions take every connection PostgreSQL has, those of the nodes included, for 8 s. */
final class ConnectionsExhausted implements Scenario {
    private static final Duration TAKEN = Duration.ofSeconds(8);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "connections-exhausted";
    }

    @Override
    public String sentence() {
        return "Other sessions take every connection PostgreSQL has, those of the nodes included, for 8 s.";
    }

    @Override
    public Setup setup() {
        return Setup.PLAIN.postgres("max_connections", "50").postgres("superuser_reserved_connections", "0");
    }

    @Override
    public Moment strike(Cluster cluster) throws Exception {
        try (Sessions sessions = cluster.sessions()) {
            keepTaken(sessions);
            sessions.vacate();
            return Moment.now();
        }
    }

    /** A slot that becomes free may be a node's before it is ours: then the time begins anew. */
    private static void keepTaken(Sessions sessions) throws Exception {
        Moment begin = Moment.now();
        sessions.occupyAll();
        Moment taken = Moment.now();
        while (taken.age().compareTo(TAKEN) < 0) {
            if (!sessions.pidsOfNodes().isEmpty()) {
                sessions.occupyAll();
                taken = Moment.now();
            }
            if (begin.age().compareTo(PATIENCE) > 0) {
                throw new IOException("The nodes could not be kept without a connection for " + TAKEN);
            }
            Pause.of(BETWEEN_LOOKS);
        }
    }
}
