package io.postrider.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Tells Redis what became of entries. Nobody waits for the reply: an entry whose answer does not reach Redis comes
 * again. Thread-safe.
 */
final class StreamAnswers {
    private final RedisStreamSourceConfig config;
    private final StreamGroup group;
    private final HeldEntries held;
    private final Link<StatefulRedisConnection<String, byte[]>> link;
    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private final LastingTrouble acknowledging;
    private final LastingTrouble keeping;
    private final LastingTrouble burying;

    StreamAnswers(
            RedisStreamSourceConfig config,
            StreamGroup group,
            HeldEntries held,
            Link<StatefulRedisConnection<String, byte[]>> link) {
        this.config = config;
        this.group = group;
        this.held = held;
        this.link = link;
        this.acknowledging = new LastingTrouble(config.stream(), "acknowledged", "+XACK");
        this.keeping = new LastingTrouble(config.stream(), "kept", "+XCLAIM");
        this.burying = new LastingTrouble(
                config.stream(), "moved to '" + config.deadStream() + "'", "+XADD and +XACK, for both streams");
    }

    void ack(String id) {
        tell(acknowledging, id, redis -> group.ack(redis, id));
    }

    void nak(String id, Duration after) {
        held.hold(id, System.nanoTime() + after.toNanos());
        working(id);
    }

    void working(String id) {
        tell(keeping, id, redis -> group.keep(redis, List.of(id)));
    }

    /** The copy comes first: if it fails, the entry stays, and comes again. */
    void term(String id, Map<String, byte[]> fields, String why) {
        Map<String, byte[]> copy = new LinkedHashMap<>(fields);
        put(copy, "dead:reason", why);
        put(copy, "dead:stream", config.stream());
        put(copy, "dead:group", config.group());
        put(copy, "dead:entry", id);
        tell(burying, id, redis -> redis.xadd(config.deadStream(), copy).thenCompose(dead -> group.ack(redis, id)));
    }

    private static void put(Map<String, byte[]> fields, String name, String value) {
        fields.put(name, value.getBytes(StandardCharsets.UTF_8));
    }

    private void tell(
            LastingTrouble trouble,
            String id,
            Function<RedisAsyncCommands<String, byte[]>, CompletionStage<?>> command) {
        CompletableFuture<?> told = link.connect()
                .thenCompose(connection -> answered(connection, command.apply(connection.async())))
                .handle((done, error) -> {
                    if (error == null) {
                        trouble.succeeded();
                    } else {
                        trouble.failed(id, Refusals.words(error));
                    }
                    return done;
                })
                .toCompletableFuture();
        underWay.add(told);
        var unused = told.thenRun(() -> underWay.remove(told));
    }

    /** A connection that is silent is given up: the next answer makes another, and this one might never be closed. */
    private CompletionStage<?> answered(StatefulRedisConnection<String, byte[]> connection, CompletionStage<?> answer) {
        return link.within(answer).whenComplete((done, error) -> {
            if (error != null && Refusals.isSilence(error)) {
                link.cutOff(connection, "no answer");
            }
        });
    }

    /** Waits until what is under way is told, and leaves the group if nothing is owed then. */
    void leave() {
        link.within(CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new)))
                .join();
        StatefulRedisConnection<String, byte[]> connection = link.current();
        if (connection != null) {
            link.within(group.leave(connection)).join();
        }
    }

    void close() {
        link.close();
    }
}
