package io.postrider.chaos;

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
    public Fault strike(Cluster cluster) throws Exception {
        try (Sessions sessions = cluster.sessions()) {
            Duration taken = keepTaken(sessions);
            int occupants = sessions.occupants();
            sessions.vacate();
            return Fault.over(occupants + " connections taken for " + Fault.seconds(taken));
        }
    }

    /** A slot that becomes free may be a node's before it is ours: then the time begins anew. */
    private static Duration keepTaken(Sessions sessions) throws Exception {
        Moment begin = Moment.now();
        sessions.occupyAll();
        Moment taken = Moment.now();
        while (taken.age().compareTo(TAKEN) < 0) {
            if (!sessions.pidsOfNodes().isEmpty()) {
                sessions.occupyAll();
                taken = Moment.now();
            }
            Fault.require(
                    begin.age().compareTo(PATIENCE) < 0,
                    "the nodes could not be kept without a connection for " + Fault.seconds(TAKEN));
            Pause.of(BETWEEN_LOOKS);
        }
        return taken.age();
    }
}
