package io.postrider.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.Message;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.Headers;
import io.postrider.destination.Receipt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Publishes on one connection, and hands each acknowledgement to who waits for it. The client library does the same
 * with three futures and a tree of JSON for each message, which costs as much as all the rest. Thread-safe.
 *
 * @param <W> who waits
 */
final class Acknowledgements<W> {
    private static final byte[] STREAM = "{\"stream\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SEQUENCE = "\"seq\":".getBytes(StandardCharsets.US_ASCII);
    /** More digits might not fit in a long. */
    private static final int DIGITS_MAX = 18;

    private final Connection connection;
    private final Answers<W> answers;
    private final String inbox;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, W> waiting = new ConcurrentHashMap<>();

    /** Is told the answer to each message, on a thread of the connection's, which it must not keep. */
    interface Answers<W> {
        void acknowledged(W who, Receipt receipt);

        void refused(W who, JetStreamApiException refusal);

        /** Nobody listens at the subject, or somebody who is no stream. */
        void unanswered(W who, String words);
    }

    Acknowledgements(Connection connection, Answers<W> answers) {
        this.connection = connection;
        this.answers = answers;
        this.inbox = connection.createInbox() + ".";
        var unused = connection.createDispatcher(this::receive).subscribe(inbox + "*");
    }

    void publish(String subject, Headers headers, byte[] body, W who) {
        Long number = numbers.incrementAndGet();
        waiting.put(number, who);
        try {
            connection.publish(subject, inbox + number, headers, body);
        } catch (RuntimeException e) {
            waiting.remove(number);
            throw e;
        }
    }

    private void receive(Message message) {
        String subject = message.getSubject();
        W who = waiting.remove(Long.parseLong(subject, inbox.length(), subject.length(), 10));
        if (who == null) {
            return; // answered twice
        }
        if (message.isStatusMessage()) {
            answers.unanswered(who, message.getStatus().getMessageWithCode());
            return;
        }
        Receipt receipt = read(message.getData());
        if (receipt != null) {
            answers.acknowledged(who, receipt);
        } else {
            readSlowly(message, who);
        }
    }

    private void readSlowly(Message message, W who) {
        try {
            PublishAck ack = new PublishAck(message);
            answers.acknowledged(who, new Receipt(ack.getStream(), ack.getSeqno()));
        } catch (JetStreamApiException e) {
            answers.refused(who, e);
        } catch (IOException | RuntimeException e) {
            answers.unanswered(who, "somebody who is no stream has answered: " + e.getMessage());
        }
    }

    /** Reads the form in which servers write it; null where it has any other. */
    static @Nullable Receipt read(byte[] json) {
        if (!has(json, 0, STREAM)) {
            return null;
        }
        int end = STREAM.length;
        while (end < json.length && json[end] != '"' && json[end] != '\\') {
            end++;
        }
        int sequence = end + 2;
        while (sequence < json.length && json[sequence] == ' ') {
            sequence++;
        }
        if (end + 1 >= json.length || json[end] != '"' || json[end + 1] != ',' || !has(json, sequence, SEQUENCE)) {
            return null;
        }
        long number = number(json, sequence + SEQUENCE.length);
        String stream = new String(json, STREAM.length, end - STREAM.length, StandardCharsets.UTF_8);
        return number < 0 ? null : new Receipt(stream, number);
    }

    private static boolean has(byte[] json, int from, byte[] part) {
        if (from + part.length > json.length) {
            return false;
        }
        for (int i = 0; i < part.length; i++) {
            if (json[from + i] != part[i]) {
                return false;
            }
        }
        return true;
    }

    private static long number(byte[] json, int from) {
        long number = 0;
        int at = from;
        while (at < json.length && json[at] >= '0' && json[at] <= '9') {
            number = number * 10 + (json[at++] - '0');
        }
        boolean whole =
                at > from && at - from <= DIGITS_MAX && at < json.length && (json[at] == ',' || json[at] == '}');
        return whole ? number : -1;
    }
}
