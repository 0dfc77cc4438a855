package io.postrider.redis;

import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.models.stream.ClaimedMessages;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis stream as a source, read by a consumer group: each entry goes to one consumer, and comes again until it is
 * acknowledged.
 *
 * <ul>
 *   <li>An entry without an answer for {@code claimAfter} goes to whichever consumer of the group looks first: its own
 *       consumer has probably died. {@code working} starts that time anew.
 *   <li>{@code nak} holds the entry in this process until its time has come. If the process ends, the entry comes after
 *       {@code claimAfter}, to another one.
 *   <li>{@code term} copies the entry with the reason to the stream {@code <stream>.dead}, then acknowledges it.
 * </ul>
 *
 * <p>Acknowledged entries stay in the stream until it is trimmed. One thread pulls; answers come on any thread.
 */
public final class RedisStreamSource implements Source {
    private static final Logger LOG = LoggerFactory.getLogger(RedisStreamSource.class);
    /** The longest wait in Redis, so that entries whose time has come are not late by more. */
    private static final Duration BLOCK_MAX = Duration.ofSeconds(1);

    private final RedisStreamSourceConfig config;
    private final StreamGroup group;
    private final HeldEntries held = new HeldEntries();
    private final StreamAnswers answers;
    /** Blocks while it waits for entries, so that answers have a connection of their own. */
    private final Link<StatefulRedisConnection<String, byte[]>> reading;

    private @Nullable StatefulRedisConnection<String, byte[]> prepared;
    private boolean groupWasThere;
    private String claimFrom = StreamGroup.BEGINNING;
    private long claimAtNanos = System.nanoTime();
    private long keepAtNanos = System.nanoTime();

    private RedisStreamSource(RedisConfig redis, RedisStreamSourceConfig config) {
        this.config = config;
        this.group = new StreamGroup(config);
        this.reading = Link.commands(redis);
        this.answers = new StreamAnswers(config, group, held, Link.commands(redis));
    }

    /**
     * Connects. If the server is not there, each pull tries again.
     *
     * @throws IllegalArgumentException if the server refuses the login, or the stream's key holds something else
     */
    public static RedisStreamSource open(RedisConfig redis, RedisStreamSourceConfig config) {
        RedisStreamSource source = new RedisStreamSource(redis, config);
        try {
            source.reading.start(source::check);
        } catch (IllegalArgumentException e) {
            source.close();
            throw e;
        }
        return source;
    }

    private CompletionStage<Void> check(StatefulRedisConnection<String, byte[]> connection) {
        CompletableFuture<Void> checked = reading.within(connection.async().ping())
                .thenCompose(pong -> reading.requireStream(connection, config.stream()));
        return reading.checked(connection, checked);
    }

    @Override
    public String name() {
        return "redis:" + config.stream() + "/" + config.group();
    }

    @Override
    public List<Arrival> pull(int most, Duration wait) throws InterruptedException {
        RedisConfig.requireAtLeast("most", 1, most);
        long deadline = System.nanoTime() + wait.toNanos();
        List<Arrival> arrivals = new ArrayList<>();
        do {
            RedisAsyncCommands<String, byte[]> redis = connect();
            keepHeld(redis);
            arrivals.addAll(takeDue(redis, most));
            if (arrivals.size() < most) {
                arrivals.addAll(claimOld(redis, most - arrivals.size()));
            }
            if (arrivals.size() < most) {
                long left = arrivals.isEmpty() ? Math.max(0, deadline - System.nanoTime()) : 0;
                arrivals.addAll(readNew(redis, most - arrivals.size(), left));
            }
        } while (arrivals.isEmpty() && System.nanoTime() - deadline < 0);
        return arrivals;
    }

    private RedisAsyncCommands<String, byte[]> connect() throws InterruptedException {
        StatefulRedisConnection<String, byte[]> connection = await(reading.connect(), config.patience());
        if (connection != prepared) {
            // a group that is gone was lost with its stream: rather everything again than something never
            String from = config.fromBeginning() || groupWasThere ? StreamGroup.BEGINNING : "$";
            await(group.create(connection.async(), from), config.patience());
            prepared = connection;
            groupWasThere = true;
        }
        return connection.async();
    }

    /** Nobody else is to take what we hold. */
    private void keepHeld(RedisAsyncCommands<String, byte[]> redis) throws InterruptedException {
        List<String> ids = held.ids();
        if (System.nanoTime() - keepAtNanos < 0 || ids.isEmpty()) {
            return;
        }
        await(group.keep(redis, ids), config.patience());
        keepAtNanos = System.nanoTime() + config.claimAfter().toNanos() / 3;
    }

    private List<Arrival> takeDue(RedisAsyncCommands<String, byte[]> redis, int most) throws InterruptedException {
        List<String> due = held.takeDue(most);
        if (due.isEmpty()) {
            return List.of();
        }
        try {
            List<String> ours = List.copyOf(
                    await(group.deliveries(redis, due), config.patience()).keySet());
            return ours.isEmpty() ? List.of() : counted(redis, await(group.again(redis, ours), config.patience()));
        } catch (SourceException e) {
            due.forEach(id -> held.hold(id, System.nanoTime()));
            throw e;
        }
    }

    private List<Arrival> claimOld(RedisAsyncCommands<String, byte[]> redis, int most) throws InterruptedException {
        if (System.nanoTime() - claimAtNanos < 0) {
            return List.of();
        }
        ClaimedMessages<String, byte[]> claimed = await(group.claimOld(redis, claimFrom, most), config.patience());
        claimFrom = claimed.getId();
        if (claimFrom.equals(StreamGroup.BEGINNING)) {
            claimAtNanos = System.nanoTime() + config.claimAfter().toNanos() / 2;
        }
        claimed.getMessages().forEach(entry -> held.forget(entry.getId()));
        return counted(redis, claimed.getMessages());
    }

    private List<Arrival> readNew(RedisAsyncCommands<String, byte[]> redis, int most, long leftNanos)
            throws InterruptedException {
        long upkeep = Math.min(BLOCK_MAX.toNanos(), config.claimAfter().toNanos() / 3);
        long nanos = held.nanosToNext(Math.min(leftNanos, upkeep));
        if (held.size() >= config.heldMax()) {
            held.await(nanos);
            return List.of();
        }
        Duration block = Duration.ofNanos(nanos);
        return await(group.read(redis, most, block), block.plus(config.patience())).stream()
                .map(entry -> arrival(entry, 1))
                .toList();
    }

    private List<Arrival> counted(RedisAsyncCommands<String, byte[]> redis, List<StreamMessage<String, byte[]>> entries)
            throws InterruptedException {
        if (entries.isEmpty()) {
            return List.of();
        }
        List<String> ids = entries.stream().map(StreamMessage::getId).toList();
        Map<String, Integer> deliveries = await(group.deliveries(redis, ids), config.patience());
        return entries.stream()
                .map(entry -> arrival(entry, deliveries.getOrDefault(entry.getId(), 1)))
                .toList();
    }

    private Arrival arrival(StreamMessage<String, byte[]> entry, int attempt) {
        return new StreamArrival(config.stream(), entry.getId(), entry.getBody(), attempt, answers);
    }

    private <T> T await(CompletionStage<T> answer, Duration within) throws InterruptedException {
        try {
            return answer.toCompletableFuture().copy().get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw failed(e);
        } catch (ExecutionException e) {
            throw failed(e.getCause() == null ? e : e.getCause());
        }
    }

    /** The next pull begins anew, with another connection if this one is silent, and with a group if that is gone. */
    private SourceException failed(Throwable error) {
        StatefulRedisConnection<String, byte[]> connection = reading.current();
        prepared = null;
        if (connection != null && Refusals.isSilence(error)) {
            reading.cutOff(connection, "no answer");
        }
        String what = Refusals.isRefusal(error)
                ? "Redis at " + reading.address() + " refuses " + name()
                : name() + " at " + reading.address() + " does not answer";
        return new SourceException(what + ": " + Refusals.words(error), error);
    }

    @Override
    public boolean countsAttempts() {
        return true;
    }

    @Override
    public void close() {
        try {
            answers.leave();
        } catch (CompletionException e) {
            LOG.debug("{} stays in its group: {}", config.consumer(), Refusals.words(e));
        }
        answers.close();
        reading.close();
    }
}
