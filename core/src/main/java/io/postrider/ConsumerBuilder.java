package io.postrider;

import io.postrider.destination.Source;
import io.postrider.engine.dispatch.Transactions;
import io.postrider.engine.receive.ConsumeRun;
import io.postrider.engine.receive.Consumption;
import io.postrider.engine.receive.Intake;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.text.Logs;
import io.postrider.text.Printable;
import io.postrider.text.TypePattern;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Describes a direct consumer: messages go from a source to handlers, and the store keeps only the handlers' effects
 * and a record of each handled message. To keep the order of a key through failures, or to see and replay failed
 * messages, {@linkplain Postrider#receive receive} into an inbox instead. Not thread-safe.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 */
public final class ConsumerBuilder<T> {
    private static final Logger LOG = Logs.of(ConsumerBuilder.class);

    private final String name;
    private final Source source;
    private final PostriderConfig config;
    private final Environment environment;
    private final Transactions<T> transactions;
    private final Intake inbox;
    private final Consumer<Receiving> started;
    private final Unstarted.Described described;
    private final Map<TypePattern, Consumption.Work<T>> handlers = new LinkedHashMap<>();
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private ReceiveOptions options;

    /** The parts of a node that a consumer uses. */
    record Place<T>(
            PostriderConfig config,
            Environment environment,
            Transactions<T> transactions,
            Intake inbox,
            Consumer<Receiving> started,
            Unstarted unstarted) {}

    ConsumerBuilder(String name, Source source, Place<T> place) {
        Printable.requireName("a consumer", name);
        this.name = name;
        this.source = source;
        this.config = place.config();
        this.environment = place.environment();
        this.transactions = place.transactions();
        this.inbox = place.inbox();
        this.started = place.started();
        this.described = place.unstarted().describe("consumer '" + name + "'");
        // A pull is what may be in hand: messages that wait for a handler are kept from other nodes.
        this.options = ReceiveOptions.DEFAULT.most(100).inFlight(100);
    }

    /**
     * Handles messages of a type, or of all types a pattern matches, in a transaction of the store's, with the payload
     * read as this class. An exact name goes before a pattern; a message that no handler takes is acknowledged.
     */
    public <P> ConsumerBuilder<T> onTransaction(String pattern, Class<P> payload, TransactionalHandler<T, P> handler) {
        requirePayload(pattern, payload);
        requireHandler(pattern, handler);
        Json json = config.json();
        return handle(
                pattern,
                (transaction, context) ->
                        handler.handle(transaction, json.decode(context.event().payload(), payload), context));
    }

    /** Handles messages with the payload as JSON text. */
    public ConsumerBuilder<T> onTransaction(String pattern, TransactionalHandler<T, String> handler) {
        requireHandler(pattern, handler);
        return handle(
                pattern,
                (transaction, context) ->
                        handler.handle(transaction, context.event().payload(), context));
    }

    private void requirePayload(String pattern, Class<?> payload) {
        if (payload == null) {
            throw refused(new NullPointerException("consumer '" + name + "': payloads of '" + pattern
                    + "' are read as a class such as Order.class, got null; without one a handler gets JSON text"));
        }
    }

    private void requireHandler(String pattern, Object handler) {
        if (handler == null) {
            throw refused(
                    new NullPointerException("consumer '" + name + "': the handler of '" + pattern + "' is null"));
        }
    }

    private ConsumerBuilder<T> handle(String pattern, Consumption.Work<T> handler) {
        if (handlers.putIfAbsent(pattern(pattern), handler) != null) {
            throw refused(new IllegalArgumentException(
                    "consumer '" + name + "' has two handlers for '" + pattern + "'; one is allowed"));
        }
        return this;
    }

    private TypePattern pattern(String text) {
        try {
            return new TypePattern(text);
        } catch (RuntimeException e) {
            throw refused(e);
        }
    }

    /** The error says what is wrong: nobody has forgotten to start this one. */
    private <E extends RuntimeException> E refused(E error) {
        described.started();
        return error;
    }

    /** The pauses before a failed message is delivered again, by the number of attempts that its source has counted. */
    public ConsumerBuilder<T> retry(RetryPolicy retry) {
        this.retry = retry;
        return this;
    }

    public ConsumerBuilder<T> options(ReceiveOptions options) {
        this.options = options;
        return this;
    }

    /** Begins to consume on this node. */
    public Receiving start() {
        described.started(); // a start that is refused says so itself, and needs no second warning
        if (handlers.isEmpty()) {
            throw new IllegalStateException("consumer '" + name + "' has no handler: give it one with onTransaction");
        }
        transactions
                .abilities()
                .requireTransactions(
                        "consumer '" + name + "' handles messages of '" + source.name()
                                + "' in transactions (onTransaction)",
                        "consume with a store that has transactions");
        requireRemembered();
        if (!source.countsAttempts()) {
            LOG.warn(
                    "Consumer '{}': {} does not count attempts across crashes, so a message that ends its process comes"
                            + " again for ever",
                    name,
                    source.name());
        }
        Consumption<T> consumption = new Consumption<>(name, compiled(), retry, transactions, environment);
        NodeLimits limits = config.limits();
        ConsumeRun<T> run = new ConsumeRun<>(
                source,
                consumption,
                inbox,
                options,
                new ConsumeRun.Bounds(
                        limits.payloadBytes(), limits.subscriptions().handlerTimeout(), limits.processedFor()));
        started.accept(run);
        run.start();
        return run;
    }

    /** A record that is forgotten while its message can come again would let the effect happen twice. */
    private void requireRemembered() {
        Duration longest = retry.longest(config.limits().subscriptions().handlerTimeout());
        Duration kept = config.limits().processedFor();
        if (kept.compareTo(longest) <= 0) {
            throw new IllegalArgumentException("consumer '" + name + "' may retry a message for " + longest
                    + ", but processedFor, how long its effect is remembered, is " + kept);
        }
    }

    private Map<Pattern, Consumption.Work<T>> compiled() {
        Map<Boolean, Map<TypePattern, Consumption.Work<T>>> byExact = handlers.entrySet().stream()
                .collect(Collectors.partitioningBy(
                        entry -> entry.getKey().isExact(),
                        Collectors.toMap(
                                Map.Entry::getKey, Map.Entry::getValue, (one, other) -> one, LinkedHashMap::new)));
        Map<Pattern, Consumption.Work<T>> compiled = new LinkedHashMap<>();
        byExact.getOrDefault(true, Collections.emptyMap()).forEach((text, work) -> compiled.put(text.compile(), work));
        byExact.getOrDefault(false, Collections.emptyMap()).forEach((text, work) -> compiled.put(text.compile(), work));
        return compiled;
    }
}
