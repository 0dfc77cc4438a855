package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.postrider.destination.Outcome;
import java.util.Set;

/** What an error of the server means: that it does not want this event, or that it can take none at present. */
final class Refusal {
    static final int NO_STREAM = 10059;
    static final int NO_CONSUMER = 10014;
    static final int NO_MESSAGE = 10037;

    /** The server's own fault by their meaning, although their code is one of a bad request: the account is full. */
    private static final Set<Integer> FULL = Set.of(10002);

    /** JetStream is not there at all, however long one waits. */
    private static final Set<Integer> NOT_ENABLED = Set.of(10039, 10076);

    private Refusal() {}

    /** Codes are like those of HTTP: from 500 on the server has the problem. */
    static Outcome outcome(JetStreamApiException e) {
        boolean serversFault = e.getErrorCode() >= 500 || FULL.contains(e.getApiErrorCode());
        return serversFault ? Outcome.down(words(e)) : Outcome.dead(words(e));
    }

    /** Whether it may be otherwise in a while: a stream has no leader at present. */
    static boolean isTemporary(JetStreamApiException e) {
        return e.getErrorCode() == 503 && !NOT_ENABLED.contains(e.getApiErrorCode());
    }

    static String words(JetStreamApiException e) {
        return "JetStream says: " + e.getErrorDescription() + " (" + e.getApiErrorCode() + ")";
    }
}
