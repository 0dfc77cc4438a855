package io.postrider.redis;

import io.postrider.destination.Source;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import io.postrider.wire.UndecodableException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** An entry that was delivered to us. Thread-safe. */
final class StreamArrival implements Source.Arrival {
    private final String stream;
    private final String id;
    private final Map<String, byte[]> fields;
    private final int attempt;
    private final StreamAnswers answers;

    StreamArrival(String stream, String id, Map<String, byte[]> fields, int attempt, StreamAnswers answers) {
        this.stream = stream;
        this.id = id;
        this.fields = fields;
        this.attempt = attempt;
        this.answers = answers;
    }

    /** What the entry does not say is known by its stream, its number, and the time that the number begins with. */
    @Override
    public Incoming incoming() {
        Decoding.Origin origin = new Decoding.Origin(stream + "/" + id, stream, null, storedAt());
        Message message;
        try {
            message = StreamFields.read(fields);
        } catch (RuntimeException e) {
            throw new UndecodableException(StreamFields.asTheyAre(fields), origin, e);
        }
        return Decoding.decode(message, origin);
    }

    private Instant storedAt() {
        return Instant.ofEpochMilli(Long.parseLong(id.substring(0, id.indexOf('-'))));
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public void ack() {
        answers.ack(id);
    }

    @Override
    public void nak(Duration after) {
        answers.nak(id, after);
    }

    @Override
    public void term(String why) {
        answers.term(id, fields, why);
    }

    @Override
    public void working() {
        answers.working(id);
    }
}
