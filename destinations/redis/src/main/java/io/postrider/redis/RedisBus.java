package io.postrider.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.postrider.StoredEvent;
import io.postrider.destination.Connected;
import io.postrider.destination.Outcome;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Redis Pub/Sub as a destination: each event goes to the channel {@code events.} and its type, as one JSON document
 * with {@code eventId}, {@code eventType}, {@code aggregateId}, {@code payload} and {@code metadata}.
 *
 * <p><b>Who does not listen misses it.</b> {@code Delivered} means that Redis has answered the PUBLISH, and Redis keeps
 * nothing: it hands the event to whoever is connected at this moment, be it nobody. Who must not miss anything takes a
 * subscription on the log, or a {@link RedisStreamDestination}. An event that is dispatched twice arrives twice, with
 * one {@code eventId}.
 *
 * <p>Thread-safe.
 */
public final class RedisBus implements Connected, AutoCloseable {
    static final String CHANNEL = "events.";

    private final RedisBusConfig config;
    private final Link<StatefulRedisConnection<String, byte[]>> link;
    private final Pipeline pipeline;

    private RedisBus(RedisConfig redis, RedisBusConfig config) {
        this.config = config;
        this.link = Link.commands(redis);
        this.pipeline = new Pipeline(link, config.profile().patience());
    }

    public static RedisBus open(RedisConfig redis) {
        return open(redis, RedisBusConfig.defaults());
    }

    /**
     * Connects. If the server is not there it is down, until a probe finds it.
     *
     * @throws IllegalArgumentException if the server refuses the login
     */
    public static RedisBus open(RedisConfig redis, RedisBusConfig config) {
        RedisBus bus = new RedisBus(redis, config);
        bus.link.start(bus::check);
        return bus;
    }

    @Override
    public String kind() {
        return "Redis Pub/Sub " + config.profile().name();
    }

    @Override
    public Profile profile() {
        return config.profile();
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        return pipeline.dispatch(dispatches, this::publish);
    }

    private Pipeline.Request publish(StoredEvent event) {
        byte[] message = RedisBusConfig.requireSize(BusMessage.write(event), config.messageBytesMax());
        String channel = CHANNEL + event.type();
        CommandArgs<String, byte[]> arguments =
                new CommandArgs<>(Link.CODEC).addKey(channel).addValue(message);
        return new Pipeline.Request(
                "the channel '" + channel + "'",
                new AsyncCommand<>(new Command<>(CommandType.PUBLISH, new IntegerOutput<>(Link.CODEC), arguments)));
    }

    @Override
    public CompletionStage<Void> probe() {
        return link.connect().thenCompose(this::check);
    }

    private CompletionStage<Void> check(StatefulRedisConnection<String, byte[]> connection) {
        return link.checked(connection, link.within(connection.async().ping()).thenAccept(pong -> {}));
    }

    @Override
    public void onCutOff(Consumer<String> listener) {
        link.onCutOff(listener);
    }

    @Override
    public void close() {
        link.close();
    }
}
