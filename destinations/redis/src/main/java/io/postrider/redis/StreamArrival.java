package io.postrider.redis;

import io.postrider.spi.Source;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import java.time.Duration;
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

    /** What the entry does not say is known by its number and its stream. */
    @Override
    public Incoming incoming() {
        return Decoding.decode(StreamFields.read(fields), new Decoding.Origin(id, stream, null));
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
