package io.postrider.redis;

import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.postrider.Event;
import io.postrider.destination.Destination;
import io.postrider.tck.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** One stream, and a type whose key holds something else. */
final class StreamFixture extends ServerFixture {
    static final String STREAM = "events";
    private static final String REFUSED = "letter.refused";

    private final RedisStreamConfig config;

    StreamFixture(Path folder, Duration dedupFor) {
        super(RedisServer.in(folder));
        onlooker.redis().set(REFUSED, "no stream");
        StreamRule rule = new StreamRule(event -> event.type().equals(REFUSED) ? REFUSED : STREAM, STREAM);
        config = RedisStreamConfig.defaults().profile(PROFILE).rule(rule).dedupFor(dedupFor);
    }

    @Override
    public Destination open() {
        return RedisStreamDestination.open(redis(), config);
    }

    @Override
    public List<Arrived> arrived() {
        return onlooker.redis().xrange(STREAM, Range.unbounded()).stream()
                .map(StreamFixture::arrived)
                .toList();
    }

    private static Arrived arrived(StreamMessage<String, String> entry) {
        Map<String, String> fields = entry.getBody();
        Map<String, String> headers = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            if (name.startsWith("h:")) {
                headers.put(name.substring(2), value);
            }
        });
        return new Arrived(
                Objects.requireNonNull(fields.get("id")),
                Objects.requireNonNull(fields.get("type")),
                fields.get("key"),
                Objects.requireNonNull(fields.get("body")),
                headers);
    }

    @Override
    public Event refused() {
        return Event.of(REFUSED, "text").key("ann");
    }

    @Override
    public String refusal() {
        return "WRONGTYPE";
    }

    @Override
    public Set<Limitation> limitations() {
        return config.deduplicates() ? Set.of() : Set.of(Limitation.DOES_NOT_DEDUPLICATE);
    }
}
