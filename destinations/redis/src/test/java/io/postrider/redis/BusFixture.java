package io.postrider.redis;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.spi.Destination;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Channels, and somebody who listens to all of them. */
final class BusFixture extends ServerFixture {
    private static final int MESSAGE_BYTES_MAX = 500_000;

    private final List<Arrived> arrived = new ArrayList<>();

    BusFixture(Path folder) {
        super(folder);
        StatefulRedisPubSubConnection<String, String> listening =
                onlooker.client().connectPubSub();
        listening.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String pattern, String channel, String message) {
                synchronized (arrived) {
                    arrived.add(read(message));
                }
            }
        });
        listening.sync().psubscribe("events.*");
    }

    private static Arrived read(String message) {
        BusEvent event = BusMessage.read(message.getBytes(StandardCharsets.UTF_8));
        return new Arrived(event.eventId(), event.eventType(), event.aggregateId(), event.payload(), event.metadata());
    }

    @Override
    public Destination open() {
        RedisBusConfig config = RedisBusConfig.defaults().profile(PROFILE).messageBytesMax(MESSAGE_BYTES_MAX);
        return RedisBus.open(redis(), config);
    }

    @Override
    public List<Arrived> arrived() {
        synchronized (arrived) {
            return List.copyOf(arrived);
        }
    }

    @Override
    public Event refused() {
        return Event.of("letter.refused", Payload.json('"' + "x".repeat(MESSAGE_BYTES_MAX) + '"'))
                .key("ann");
    }

    @Override
    public String refusal() {
        return "messageBytesMax";
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of(Limitation.DOES_NOT_DEDUPLICATE, Limitation.KEEPS_NOTHING);
    }
}
