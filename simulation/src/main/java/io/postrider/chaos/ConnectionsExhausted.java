package io.postrider.chaos;

import java.time.Duration;

/** Other sessions take every connection PostgreSQL has, those of the nodes included, for 8 s. */
final class ConnectionsExhausted implements Scenario {
    private static final Duration TAKEN = Duration.ofSeconds(8);

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
            sessions.occupyAll();
            Pause.of(TAKEN);
            sessions.vacate();
            return Moment.now();
        }
    }
}
