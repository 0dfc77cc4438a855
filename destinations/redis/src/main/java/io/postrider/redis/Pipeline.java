package io.postrider.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches a batch as one write of many commands, and makes outcomes of the answers. What has no answer after
 * {@code patience} is unknown: the connection is given up with it, so that it cannot be carried out later. Thread-safe.
 */
final class Pipeline {
    private final Link<StatefulRedisConnection<String, byte[]>> link;
    private final Duration patience;

    Pipeline(Link<StatefulRedisConnection<String, byte[]>> link, Duration patience) {
        this.link = link;
        this.patience = patience;
    }

    /**
     * Carries out one command for each event.
     *
     * @param encode the command of an event; an {@link IllegalArgumentException} says why there is none, however often
     *     it is tried
     */
    CompletionStage<List<Outcome>> dispatch(
            List<Destination.Dispatch> dispatches, Function<StoredEvent, Request> encode) {
        StatefulRedisConnection<String, byte[]> connection = link.current();
        List<Sent> sent = dispatches.stream()
                .map(dispatch -> connection == null ? Sent.never(notConnected()) : encoded(dispatch.event(), encode))
                .toList();
        List<AsyncCommand<String, byte[], ?>> commands = commands(sent);
        if (connection == null || commands.isEmpty()) {
            return CompletableFuture.completedStage(outcomes(sent));
        }
        write(connection, commands);
        return CompletableFuture.allOf(commands.toArray(CompletableFuture[]::new))
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .handle((done, error) -> {
                    List<Outcome> outcomes = outcomes(sent);
                    if (commands.stream().anyMatch(command -> !command.isDone())) {
                        link.cutOff(connection, noAnswer());
                    }
                    return outcomes;
                });
    }

    /** One write for all: Redis reads them together, and the network is used once. */
    private static void write(
            StatefulRedisConnection<String, byte[]> connection, List<AsyncCommand<String, byte[], ?>> commands) {
        List<RedisCommand<String, byte[], ?>> toWrite = new ArrayList<>(commands);
        try {
            connection.dispatch(toWrite);
        } catch (RedisException e) {
            commands.forEach(command -> command.completeExceptionally(e));
        }
    }

    private static Sent encoded(StoredEvent event, Function<StoredEvent, Request> encode) {
        try {
            return new Sent(encode.apply(event), null);
        } catch (IllegalArgumentException e) {
            return Sent.never(Outcome.dead(Refusals.words(e)));
        }
    }

    private static List<AsyncCommand<String, byte[], ?>> commands(List<Sent> sent) {
        List<AsyncCommand<String, byte[], ?>> commands = new ArrayList<>(sent.size());
        for (Sent one : sent) {
            if (one.request() != null) {
                commands.add(one.request().command());
            }
        }
        return commands;
    }

    private List<Outcome> outcomes(List<Sent> sent) {
        return sent.stream().map(this::outcome).toList();
    }

    private Outcome outcome(Sent sent) {
        Request request = sent.request();
        if (request == null) {
            return sent.outcome() != null ? sent.outcome() : notConnected();
        }
        if (!request.command().isDone()) {
            return Outcome.down(noAnswer());
        }
        return request.command()
                .<Outcome>handle(
                        (value, error) -> error == null ? Outcome.DELIVERED : Refusals.outcome(request.place(), error))
                .toCompletableFuture()
                .join();
    }

    private Outcome notConnected() {
        return Outcome.down("not connected to Redis at " + link.address());
    }

    private String noAnswer() {
        return "Redis at " + link.address() + " has not answered within " + patience;
    }

    /**
     * The command of an event.
     *
     * @param place where the event goes: {@code the stream 'orders'}
     */
    record Request(String place, AsyncCommand<String, byte[], ?> command) {}

    /** What was sent for an event, or what it came to without. */
    private record Sent(@Nullable Request request, @Nullable Outcome outcome) {
        static Sent never(Outcome outcome) {
            return new Sent(null, outcome);
        }
    }
}
