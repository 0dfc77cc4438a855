package io.postrider.redis;

import io.lettuce.core.Consumer;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XAutoClaimArgs;
import io.lettuce.core.XClaimArgs;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.models.stream.ClaimedMessages;
import io.lettuce.core.models.stream.PendingMessage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** The commands of one consumer of one group. Thread-safe. */
final class StreamGroup {
    static final String BEGINNING = "0-0";

    private final RedisStreamSourceConfig config;
    private final Consumer<String> self;

    StreamGroup(RedisStreamSourceConfig config) {
        this.config = config;
        this.self = Consumer.from(config.group(), config.consumer());
    }

    /** Makes the group, and the stream if need be; that it is there already is fine. */
    CompletionStage<Void> create(RedisAsyncCommands<String, byte[]> redis, String from) {
        return redis.xgroupCreate(
                        XReadArgs.StreamOffset.from(config.stream(), from),
                        config.group(),
                        XGroupCreateArgs.Builder.mkstream())
                .<Void>handle((made, error) -> {
                    if (error != null && !Refusals.is(error, "BUSYGROUP")) {
                        throw new CompletionException(error);
                    }
                    return null;
                });
    }

    /** Entries that nobody of the group has read; waits for some, unless {@code block} is zero. */
    @SuppressWarnings("unchecked") // an array of a generic type, made by the compiler for the one stream
    CompletionStage<List<StreamMessage<String, byte[]>>> read(
            RedisAsyncCommands<String, byte[]> redis, int most, Duration block) {
        XReadArgs how = XReadArgs.Builder.count(most);
        if (!block.isZero()) {
            how.block(Math.max(1, block.toMillis()));
        }
        return redis.xreadgroup(self, how, XReadArgs.StreamOffset.lastConsumed(config.stream()));
    }

    /** Takes what has had no answer for too long, of anyone in the group. */
    CompletionStage<ClaimedMessages<String, byte[]>> claimOld(
            RedisAsyncCommands<String, byte[]> redis, String from, int most) {
        return redis.xautoclaim(
                config.stream(),
                new XAutoClaimArgs<String>()
                        .consumer(self)
                        .minIdleTime(config.claimAfter())
                        .startId(from)
                        .count(most));
    }

    /** Has these delivered to us once more. */
    CompletionStage<List<StreamMessage<String, byte[]>>> again(
            RedisAsyncCommands<String, byte[]> redis, List<String> ids) {
        return redis.xclaim(config.stream(), self, new XClaimArgs().minIdleTime(0), ids.toArray(String[]::new));
    }

    /** Counts their time from now on, without counting a delivery. */
    CompletionStage<List<StreamMessage<String, byte[]>>> keep(
            RedisAsyncCommands<String, byte[]> redis, List<String> ids) {
        XClaimArgs how = new XClaimArgs().minIdleTime(0).justid();
        return redis.xclaim(config.stream(), self, how, ids.toArray(String[]::new));
    }

    /** How often each of these was delivered; those that are not ours are left out. */
    CompletableFuture<Map<String, Integer>> deliveries(RedisAsyncCommands<String, byte[]> redis, List<String> ids) {
        List<CompletableFuture<List<PendingMessage>>> asked = ids.stream()
                .map(id -> redis.xpending(config.stream(), self, Range.create(id, id), Limit.from(1))
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Map<String, Integer> deliveries = new LinkedHashMap<>();
            asked.forEach(answer ->
                    answer.join().forEach(entry -> deliveries.put(entry.getId(), (int) entry.getRedeliveryCount())));
            return deliveries;
        });
    }

    CompletionStage<Long> ack(RedisAsyncCommands<String, byte[]> redis, String id) {
        return redis.xack(config.stream(), config.group(), id);
    }

    /** A consumer that owes nothing is removed, so that names do not pile up; with what it owes it would lose it. */
    CompletionStage<Void> leave(StatefulRedisConnection<String, byte[]> connection) {
        RedisAsyncCommands<String, byte[]> redis = connection.async();
        return redis.xpending(config.stream(), self, Range.unbounded(), Limit.from(1))
                .thenCompose(owed -> owed.isEmpty()
                        ? redis.xgroupDelconsumer(config.stream(), self).thenAccept(left -> {})
                        : CompletableFuture.completedStage(null));
    }
}
