package io.postrider.chaos;

import java.time.Duration;

/** All sessions of the nodes are ended by pg_terminate_backend, three times a second for 8 s. */
final class SessionsTerminated implements Scenario {
    private static final int TIMES = 24;
    private static final Duration BETWEEN = Duration.ofMillis(333);

    @Override
    public String name() {
        return "sessions-terminated";
    }

    @Override
    public String sentence() {
        return "All sessions of the nodes are ended by pg_terminate_backend, three times a second for 8 s.";
    }

    @Override
    public Moment strike(Cluster cluster) throws Exception {
        try (Sessions sessions = cluster.sessions()) {
            for (int i = 0; i < TIMES; i++) {
                sessions.terminateNodes();
                Pause.of(BETWEEN);
            }
        }
        return Moment.now();
    }
}
