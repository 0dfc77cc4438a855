package io.postrider.chaos;

import java.time.Duration;
import java.util.List;

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
    public Fault strike(Cluster cluster) throws Exception {
        int terminated = 0;
        try (Sessions sessions = cluster.sessions()) {
            for (int i = 0; i < TIMES; i++) {
                List<Long> signalled = sessions.terminateNodes();
                Pause.of(BETWEEN);
                signalled.removeAll(sessions.pidsOfNodes());
                terminated += signalled.size();
            }
        }
        Fault.require(terminated >= TIMES, "only " + terminated + " sessions ended in " + TIMES + " rounds");
        return Fault.over(terminated + " sessions ended");
    }
}
