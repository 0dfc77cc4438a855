package io.postrider.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.Message;
import io.nats.client.PullRequestOptions;
import io.nats.client.Subscription;
import io.postrider.destination.Source.Arrival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Pulls on one connection. A pull takes what there is at once, and waits only where there is nothing: the client
 * library's own fetch would wait until all it asked for is there. One thread at a time.
 *
 * <p>What an earlier connection was given and never answered comes again when its time is up, and newer messages would
 * overtake it meanwhile. So where the consumer has such messages, nothing is pulled before they are due: then the
 * server gives them out first. Not always in their order, because those that came again before are due later than the
 * rest; so all of them are taken before any is handed on, by their place in the stream.
 */
final class PullSession {
    private static final int NOT_FOUND = 404;
    private static final int TIMED_OUT = 408;
    private static final int HEARTBEAT = 100;
    private static final int NO_RESPONDERS = 503;

    /** Of the messages of one pull, unless a server takes larger ones. */
    private static final int PULL_BYTES_MAX = 32 << 20;

    /** Messages that are taken at once, of those that come again. */
    private static final int TAKEN_AT_ONCE = 1_000;

    private static final Duration LOOK_AGAIN_AFTER = Duration.ofMillis(200);

    /** How much later than promised a server may notice that a message is due. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Link link;
    private final JetStreamSourceConfig config;
    private final Connection connection;
    private final Duration answerTimeout;
    private final String requests;
    private final String inbox;
    private final Subscription replies;
    private final long due;
    private final List<JetStreamArrival> earlier = new ArrayList<>();
    private final int maxBytes;
    private long era;
    private boolean mayOvertake;
    private long pulls;

    /** The server has answered, and not with messages. */
    static final class Unread extends IOException {
        private static final long serialVersionUID = 1L;

        Unread(String message) {
            super(message);
        }
    }

    PullSession(Link link, JetStreamSourceConfig config) throws IOException {
        this.link = link;
        this.config = config;
        // Two messages of the largest kind always fit, with what the server counts beside their bytes.
        this.maxBytes = (int) Math.min(
                Integer.MAX_VALUE,
                Math.max(PULL_BYTES_MAX, 2 * link.connection().getMaxPayload()));
        this.due = System.nanoTime() + config.ackWait().plus(GRACE).toNanos();
        this.connection = link.connection();
        this.answerTimeout = config.answerTimeout();
        this.requests = "$JS.API.CONSUMER.MSG.NEXT." + config.stream() + "." + config.durable();
        this.inbox = connection.createInbox() + ".";
        this.replies = connection.subscribe(inbox + "*");
        // Messages that nobody takes are bounded by what a pull asks for, and dropping one would only delay it.
        replies.setPendingLimits(0, 0);
        this.mayOvertake = config.inOrder() && unanswered() > 0;
    }

    Link link() {
        return link;
    }

    /** Ends it on a connection that goes on. */
    void close() {
        replies.unsubscribe();
    }

    /** The places of the messages that are pulled from now on are of this era. */
    void era(long era) {
        this.era = era;
    }

    List<Arrival> pull(int most, Duration wait) throws IOException, InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        awaitEarlier(end);
        if (mayOvertake) {
            return List.of();
        }
        return earlier.isEmpty()
                ? List.copyOf(take(most, Duration.ofNanos(Math.max(0, end - System.nanoTime()))))
                : firstOfEarlier(most);
    }

    private List<Arrival> firstOfEarlier(int most) {
        List<JetStreamArrival> first = earlier.subList(0, Math.min(most, earlier.size()));
        List<Arrival> given = List.copyOf(first);
        first.clear();
        return given;
    }

    /**
     * Waits until nothing that is pulled can overtake what an earlier connection was given, but no longer than this.
     */
    private void awaitEarlier(long end) throws IOException, InterruptedException {
        boolean goesOn = mayOvertake;
        while (goesOn) {
            long now = System.nanoTime();
            if (due - now > 0) {
                TimeUnit.NANOSECONDS.sleep(Math.min(due - now, end - now));
                mayOvertake = unanswered() > 0;
            } else if (takeEarlier() || now - due > config.ackWait().plus(GRACE).toNanos()) {
                earlier.sort(Comparator.comparingLong(JetStreamArrival::sequence));
                mayOvertake = false;
            } else {
                TimeUnit.NANOSECONDS.sleep(Math.min(LOOK_AGAIN_AFTER.toNanos(), end - now));
            }
            goesOn = mayOvertake && end - System.nanoTime() > 0;
        }
    }

    /**
     * Takes what comes again, up to the first message that does not. True if all that is unanswered is here then; what
     * another node has been given is not.
     */
    private boolean takeEarlier() throws IOException, InterruptedException {
        List<JetStreamArrival> taken;
        do {
            taken = take(TAKEN_AT_ONCE, Duration.ZERO);
            earlier.addAll(taken);
        } while (!taken.isEmpty() && taken.get(taken.size() - 1).attempt() > 1);
        return earlier.size() >= unanswered();
    }

    /** How many messages the server waits for an answer to. */
    private long unanswered() throws IOException {
        try {
            return link.management()
                    .getConsumerInfo(config.stream(), config.durable())
                    .getNumAckPending();
        } catch (JetStreamApiException e) {
            throw new IOException(Refusal.words(e), e);
        }
    }

    private List<JetStreamArrival> take(int most, Duration wait) throws IOException, InterruptedException {
        String replyTo = inbox + ++pulls;
        connection.publish(requests, replyTo, request(most, wait));
        List<JetStreamArrival> arrivals = new ArrayList<>(Math.min(most, 1_000));
        long deadline = System.nanoTime() + wait.plus(answerTimeout).toNanos();
        try {
            while (arrivals.size() < most) {
                Message message = next(deadline);
                if (message.isJetStream()) {
                    arrivals.add(new JetStreamArrival(message, era));
                } else if (message.isStatusMessage()
                        && message.getSubject().equals(replyTo)
                        && isEnd(message, arrivals.isEmpty())) {
                    return arrivals;
                }
            }
            return arrivals;
        } catch (IOException | InterruptedException | RuntimeException e) {
            arrivals.forEach(arrival -> arrival.nak(Duration.ZERO));
            throw e;
        }
    }

    private byte[] request(int most, Duration wait) {
        PullRequestOptions.Builder request =
                PullRequestOptions.builder(most).noWait().maxBytes(maxBytes);
        if (wait.toMillis() > 0) {
            request.expiresIn(wait);
        }
        return request.build().toJson().getBytes(StandardCharsets.UTF_8);
    }

    /** The server says when a pull is over; if it does not, it is not there. */
    private Message next(long deadline) throws IOException, InterruptedException {
        Message message = replies.nextMessage(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
        if (message == null) {
            throw new IOException(link.isLost() ? "the connection was lost" : "nothing was answered to a pull in time");
        }
        return message;
    }

    private boolean isEnd(Message message, boolean nothingYet) throws IOException {
        int code = message.getStatus().getCode();
        if (code == NOT_FOUND || code == TIMED_OUT) {
            return true;
        }
        if (code != HEARTBEAT && nothingYet) {
            throw new Unread(
                    code == NO_RESPONDERS
                            ? "stream '" + config.stream() + "' has no consumer '" + config.durable() + "' at present"
                            : "the server says: " + message.getStatus().getMessageWithCode());
        }
        return code != HEARTBEAT;
    }
}
