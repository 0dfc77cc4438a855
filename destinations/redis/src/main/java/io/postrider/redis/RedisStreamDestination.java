package io.postrider.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.Base16;
import io.postrider.destination.Connected;
import io.postrider.destination.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Redis Streams as a destination: each event becomes an entry, which stays until the stream is trimmed.
 * {@code Delivered} means that Redis has answered with the entry's number and, if {@code minReplicas} says so, that as
 * many replicas have it.
 *
 * <p>Entries are numbered by the server, so that an event which is dispatched twice is found twice, with one {@code id}
 * inside; unless {@code dedupFor} is set, which makes a short-lived key for each event.
 *
 * <p>A server that keeps its data in memory, or writes it to disk once a second as Redis does unless told otherwise,
 * can lose what it has acknowledged when its machine crashes, and nobody is told.
 *
 * <p>Thread-safe.
 */
public final class RedisStreamDestination implements Connected, AutoCloseable {
    private final RedisStreamConfig config;
    private final Link<StatefulRedisConnection<String, byte[]>> link;
    private final Pipeline pipeline;
    private final XAdd xadd;
    private final String script = Base16.digest(XAdd.SCRIPT.getBytes(StandardCharsets.UTF_8));

    private RedisStreamDestination(RedisConfig redis, RedisStreamConfig config) {
        this.config = config;
        this.link = Link.commands(redis);
        this.pipeline = new Pipeline(link, config.profile().patience());
        this.xadd = new XAdd(config);
    }

    public static RedisStreamDestination open(RedisConfig redis) {
        return open(redis, RedisStreamConfig.defaults());
    }

    /**
     * Connects. If the server is not there it is down, until a probe finds it.
     *
     * @throws IllegalArgumentException if the server refuses the login, or the stream's key holds something else
     */
    public static RedisStreamDestination open(RedisConfig redis, RedisStreamConfig config) {
        RedisStreamDestination destination = new RedisStreamDestination(redis, config);
        destination.link.start(destination::check);
        return destination;
    }

    @Override
    public String kind() {
        return "Redis stream " + config.rule().probe();
    }

    @Override
    public Profile profile() {
        return config.profile();
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        StatefulRedisConnection<String, byte[]> connection = link.current();
        CompletionStage<List<Outcome>> answered = pipeline.dispatch(dispatches, event -> xadd.request(event, script));
        return config.minReplicas() == 0
                ? answered
                : answered.thenCompose(outcomes -> replicated(connection, outcomes));
    }

    /** Waits for the replicas, on the connection that has written: WAIT is about what that one wrote. */
    private CompletionStage<List<Outcome>> replicated(
            @Nullable StatefulRedisConnection<String, byte[]> connection, List<Outcome> outcomes) {
        if (connection == null || outcomes.stream().noneMatch(Outcome.Delivered.class::isInstance)) {
            return CompletableFuture.completedStage(outcomes);
        }
        return replicas(connection).handle((replicas, error) -> {
            if (error == null && replicas >= config.minReplicas()) {
                return outcomes;
            }
            Outcome unknown = Outcome.down(error == null ? tooFew(replicas) : Refusals.words(error));
            return outcomes.stream()
                    .map(outcome -> outcome.isDelivered() ? unknown : outcome)
                    .toList();
        });
    }

    private CompletableFuture<Long> replicas(StatefulRedisConnection<String, byte[]> connection) {
        long patience = config.profile().patience().toMillis();
        return connection
                .async()
                .waitForReplication(config.minReplicas(), patience)
                .toCompletableFuture()
                .copy()
                .orTimeout(2 * patience, TimeUnit.MILLISECONDS);
    }

    private String tooFew(long replicas) {
        return replicas + " replicas have it, minReplicas is " + config.minReplicas();
    }

    @Override
    public CompletionStage<Void> probe() {
        return link.connect().thenCompose(this::check);
    }

    /** Whether it takes events: a server that answers may be full, or a replica, or loading. */
    private CompletionStage<Void> check(StatefulRedisConnection<String, byte[]> connection) {
        CompletableFuture<Void> checked = link.within(connection.async().ping())
                .thenCompose(
                        pong -> link.requireStream(connection, config.rule().probe()))
                .thenCompose(stream -> loadScript(connection.async()))
                .thenCompose(loaded -> requireWritable(connection))
                .thenCompose(writable -> requireReplicas(connection));
        return link.checked(connection, checked);
    }

    private CompletableFuture<Void> loadScript(RedisAsyncCommands<String, byte[]> redis) {
        return config.deduplicates()
                ? link.within(redis.scriptLoad(XAdd.SCRIPT)).thenAccept(digest -> {})
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> requireWritable(StatefulRedisConnection<String, byte[]> connection) {
        var probe = xadd.probe();
        connection.dispatch(probe);
        return link.within(probe).<Void>handle((answer, error) -> {
            Outcome outcome = error == null ? Outcome.DELIVERED : Refusals.outcome("the probe", error);
            if (outcome.isDown()) {
                throw new IllegalStateException(outcome.why());
            }
            return null;
        });
    }

    private CompletableFuture<Void> requireReplicas(StatefulRedisConnection<String, byte[]> connection) {
        if (config.minReplicas() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return replicas(connection).thenAccept(replicas -> {
            if (replicas < config.minReplicas()) {
                throw new IllegalStateException(tooFew(replicas));
            }
        });
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
