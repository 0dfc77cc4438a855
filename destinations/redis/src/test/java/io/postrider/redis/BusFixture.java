package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.destination.Destination;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.RedisServer;
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
        super(RedisServer.in(folder).line("user sender off >secret ~* &* +@all"));
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
        letIn();
    }

    /** Nobody sends before we listen: until then, the server does not know who sends. */
    private void letIn() {
        new Eventually(patience())
                .holds(() -> assertThat(onlooker.redis().pubsubNumpat()).isEqualTo(1));
        onlooker.send(CommandType.ACL, "SETUSER", "sender", "on");
    }

    @Override
    RedisConfig redis() {
        return super.redis().user("sender", "secret");
    }

    @Override
    public void startServer() {
        super.startServer();
        letIn();
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
