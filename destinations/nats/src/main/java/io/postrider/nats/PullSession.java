package io.postrider.nats;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.PullRequestOptions;
import io.nats.client.Subscription;
import io.postrider.spi.Source.Arrival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Pulls on one connection. A pull takes what there is at once, and waits only where there is nothing: the client
 * library's own fetch would wait until all it asked for is there. One thread at a time.
 */
final class PullSession {
    private static final int NOT_FOUND = 404;
    private static final int TIMED_OUT = 408;
    private static final int HEARTBEAT = 100;

    private final Link link;
    private final Connection connection;
    private final Duration answerTimeout;
    private final String requests;
    private final String inbox;
    private final Subscription replies;
    private long pulls;

    PullSession(Link link, JetStreamSourceConfig config) {
        this.link = link;
        this.connection = link.connection();
        this.answerTimeout = config.answerTimeout();
        this.requests = "$JS.API.CONSUMER.MSG.NEXT." + config.stream() + "." + config.durable();
        this.inbox = connection.createInbox() + ".";
        this.replies = connection.subscribe(inbox + "*");
        // Messages that nobody takes are bounded by what a pull asks for, and dropping one would only delay it.
        replies.setPendingLimits(0, 0);
    }

    Link link() {
        return link;
    }

    List<Arrival> pull(int most, Duration wait) throws IOException, InterruptedException {
        String replyTo = inbox + ++pulls;
        connection.publish(requests, replyTo, request(most, wait));
        List<Arrival> arrivals = new ArrayList<>(Math.min(most, 1_000));
        long deadline = System.nanoTime() + wait.plus(answerTimeout).toNanos();
        try {
            while (arrivals.size() < most) {
                Message message = next(deadline);
                if (message.isJetStream()) {
                    arrivals.add(new JetStreamArrival(message));
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

    private static byte[] request(int most, Duration wait) {
        PullRequestOptions.Builder request = PullRequestOptions.builder(most).noWait();
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

    private static boolean isEnd(Message message, boolean nothingYet) throws IOException {
        int code = message.getStatus().getCode();
        if (code == NOT_FOUND || code == TIMED_OUT) {
            return true;
        }
        if (code != HEARTBEAT && nothingYet) {
            throw new IOException(message.getStatus().getMessageWithCode());
        }
        return code != HEARTBEAT;
    }
}
