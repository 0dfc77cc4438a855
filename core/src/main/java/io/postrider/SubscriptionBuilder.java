package io.postrider;

import io.postrider.destination.Destination;
import io.postrider.engine.dispatch.HandlerDestination;
import io.postrider.engine.dispatch.Routes;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.TransactionalBatchDestination;
import io.postrider.engine.dispatch.TransactionalDestination;
import io.postrider.engine.dispatch.Transactions;
import io.postrider.engine.node.Node;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Queue;
import io.postrider.policy.Reprocess;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.text.Printable;
import io.postrider.text.TypePattern;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Describes a subscription: which events it takes, who handles them, and what happens when that fails. Not thread-safe.
 *
 * <p>By default a subscription is ordered by key, begins at the beginning of the log, and retries by
 * {@link RetryPolicy#DEFAULT}.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 */
public final class SubscriptionBuilder<T> {
    private static final String NO_EFFECTS =
            "it bounds what settles with its effect, and without settleWithEffect batchEvents bounds a batch";

    private final String name;
    private final PostriderConfig config;
    private final Json json;
    private final Node node;
    private final Transactions<T> transactions;
    private final Map<TypePattern, Function<Function<String, RetryPolicy>, Destination>> destinations =
            new LinkedHashMap<>();
    private final Map<String, RetryPolicy> retryByType = new HashMap<>();
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private Start start = Start.beginning();
    private AfterDead afterDead = AfterDead.GO_ON;
    private boolean ordered = true;
    private @Nullable Queue queue;
    private boolean settlesWithEffect;
    private @Nullable Reprocess reprocess;
    private SubscriptionLimits limits;
    private Retention retention = Retention.DEFAULT;

    private final Unstarted.Described described;

    SubscriptionBuilder(
            String name, PostriderConfig config, Node node, Transactions<T> transactions, Unstarted unstarted) {
        Printable.requireName("a subscription", name);
        this.name = name;
        this.config = config;
        this.json = config.json();
        this.node = node;
        this.transactions = transactions;
        this.limits = config.limits().subscriptions();
        this.described = unstarted.describe("subscription '" + name + "'");
    }

    /**
     * Handles events of a type, or of all types a pattern matches, with the payload read as this class. Unknown fields
     * are ignored and missing ones are null, unless {@link PostriderConfig#codec} says otherwise.
     */
    public <P> SubscriptionBuilder<T> on(String pattern, Class<P> payload, Handler<P> handler) {
        requirePayload(pattern, payload);
        requireHandler(pattern, handler);
        return route(
                pattern,
                policies ->
                        HandlerDestination.single(handler, event -> json.decode(event.payload(), payload), policies));
    }

    /** Handles events with the payload as JSON text. */
    public SubscriptionBuilder<T> on(String pattern, Handler<String> handler) {
        requireHandler(pattern, handler);
        return route(pattern, policies -> HandlerDestination.single(handler, StoredEvent::payload, policies));
    }

    /**
     * Handles events in a transaction of the store's, with the payload read as this class. The handler's effects in
     * that transaction are committed once for each event, together with a record that the event was processed; with
     * {@link #settleWithEffect} the cursor commits instead of the record.
     */
    public <P> SubscriptionBuilder<T> onTransaction(
            String pattern, Class<P> payload, TransactionalHandler<T, P> handler) {
        requirePayload(pattern, payload);
        requireHandler(pattern, handler);
        return route(
                pattern,
                policies -> new TransactionalDestination<>(
                        transactions, handler, event -> json.decode(event.payload(), payload), policies));
    }

    /** Handles events in a transaction of the store's, with the payload as JSON text. */
    public SubscriptionBuilder<T> onTransaction(String pattern, TransactionalHandler<T, String> handler) {
        requireHandler(pattern, handler);
        return route(
                pattern,
                policies -> new TransactionalDestination<>(transactions, handler, StoredEvent::payload, policies));
    }

    /**
     * Handles up to {@code effectEvents} events of a lane at once, in the transaction in which they are settled, with
     * the payloads read as this class. Only for a subscription that {@linkplain #settleWithEffect settles with its
     * effect}.
     */
    public <P> SubscriptionBuilder<T> onTransactionBatch(
            String pattern, Class<P> payload, TransactionalBatchHandler<T, P> handler) {
        requirePayload(pattern, payload);
        requireHandler(pattern, handler);
        return route(
                pattern,
                policies -> new TransactionalBatchDestination<>(
                        transactions, handler, event -> json.decode(event.payload(), payload), policies));
    }

    /** The same with the payloads as JSON text. */
    public SubscriptionBuilder<T> onTransactionBatch(String pattern, TransactionalBatchHandler<T, String> handler) {
        requireHandler(pattern, handler);
        return route(
                pattern,
                policies -> new TransactionalBatchDestination<>(transactions, handler, StoredEvent::payload, policies));
    }

    /** Handles up to {@code most} events at once, with the payloads read as this class. */
    public <P> SubscriptionBuilder<T> onBatch(String pattern, Class<P> payload, int most, BatchHandler<P> handler) {
        requirePayload(pattern, payload);
        requireHandler(pattern, handler);
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least one event, got " + most);
        }
        return route(
                pattern,
                policies -> HandlerDestination.batch(
                        most, handler, event -> json.decode(event.payload(), payload), policies));
    }

    /** Sends events to another destination. */
    public SubscriptionBuilder<T> to(String pattern, Destination destination) {
        requireHandler(pattern, destination);
        return route(pattern, policies -> destination);
    }

    /** Where a new subscription begins; an existing one goes on from its cursors. */
    public SubscriptionBuilder<T> from(Start start) {
        this.start = start;
        return this;
    }

    /** Events are delivered in any order, those of one key also at the same time. */
    public SubscriptionBuilder<T> unordered() {
        this.ordered = false;
        return this;
    }

    /**
     * Makes the subscription a queue, for long tasks: each event is claimed and run alone, by priority, in no order.
     */
    public SubscriptionBuilder<T> queue(Queue queue) {
        this.queue = queue;
        this.ordered = false;
        return this;
    }

    /**
     * The settlement commits with the handlers' effects: one transaction carries up to {@code effectEvents} events of a
     * lane, handled one after the other. Every handler has to be an {@link #onTransaction} or
     * {@link #onTransactionBatch} one. A {@link #queue} cannot do this, because its tasks settle one by one.
     */
    public SubscriptionBuilder<T> settleWithEffect() {
        this.settlesWithEffect = true;
        return this;
    }

    /** The fate of the events that follow a dead one of their key. */
    public SubscriptionBuilder<T> afterDead(AfterDead afterDead) {
        this.afterDead = afterDead;
        return this;
    }

    public SubscriptionBuilder<T> retry(RetryPolicy retry) {
        this.retry = retry;
        return this;
    }

    /** Retries events of this type by a policy of their own. */
    public SubscriptionBuilder<T> retry(String type, RetryPolicy retry) {
        Objects.requireNonNull(type, "a retry policy is for an event type such as 'order.placed', got null");
        Objects.requireNonNull(retry, "the retry policy of a type is RetryPolicy.DEFAULT or another, got null");
        retryByType.put(type, retry);
        return this;
    }

    /** Replays dead events by schedule. */
    public SubscriptionBuilder<T> reprocess(Reprocess reprocess) {
        this.reprocess = reprocess;
        return this;
    }

    /**
     * Changes limits of this subscription, from those the node has for all of them: {@code limits(l ->
     * l.concurrency(4))}.
     */
    public SubscriptionBuilder<T> limits(UnaryOperator<SubscriptionLimits.Builder> change) {
        try {
            this.limits = change.apply(limits.change()).build();
        } catch (RuntimeException e) {
            throw refused(e);
        }
        return this;
    }

    /** How long dead and expired events are kept, where, and when old events expire; by default everything is kept. */
    public SubscriptionBuilder<T> retention(Retention retention) {
        this.retention = retention;
        return this;
    }

    /** Registers the subscription and begins to deliver on this node. */
    public void start() {
        described.started(); // a start that is refused says so itself, and needs no second warning
        if (destinations.isEmpty()) {
            throw new IllegalStateException("subscription '" + name + "' has no handler: give it one with on,"
                    + " onTransaction, onTransactionBatch, onBatch or to");
        }
        retryByType.keySet().forEach(type -> requireTaken(type, "a retry policy"));
        if (queue != null) {
            queue.byType().keySet().forEach(type -> requireTaken(type, "a concurrency of its queue"));
        }
        requireUsed();
        Map<TypePattern, Destination> built = new LinkedHashMap<>();
        Function<String, RetryPolicy> policies = type -> retryByType.getOrDefault(type, retry);
        destinations.forEach((pattern, make) -> built.put(pattern, make.apply(policies)));
        EffectForm form = new EffectForm(name, transactions.abilities(), built);
        if (settlesWithEffect) {
            form.requireSettles(queue != null, transactions.foreign());
        } else {
            Stream<RetryPolicy> all = Stream.concat(Stream.of(retry), retryByType.values().stream());
            form.requireRecords(
                    all.map(policy -> policy.longest(longestAttempt())),
                    config.limits().processedFor());
        }
        node.start(new SubscriptionSpec(
                name,
                start,
                ordered,
                afterDead,
                retry,
                retryByType,
                new Routes(built),
                limits,
                queue,
                reprocess,
                retention,
                settlesWithEffect ? transactions : null));
    }

    /** A setting for a type that never comes is a misspelt one, and would be missed when that type fails. */
    private void requireTaken(String type, String what) {
        if (destinations.keySet().stream()
                .noneMatch(pattern -> pattern.compile().matcher(type).matches())) {
            throw new IllegalArgumentException("subscription '" + name + "' has " + what + " for '" + type
                    + "', an event type that none of its handlers takes; they take "
                    + destinations.keySet().stream()
                            .map(pattern -> "'" + pattern.text() + "'")
                            .collect(Collectors.joining(", ")));
        }
    }

    /** A limit of its own that this kind of subscription never reads would bound nothing, and nobody would notice. */
    private void requireUsed() {
        SubscriptionLimits node = config.limits().subscriptions();
        if (queue != null) {
            requireUsed(
                    "handlerTimeout",
                    node.handlerTimeout(),
                    limits.handlerTimeout(),
                    "its tasks are bounded by Queue.timeout");
            requireUsed(
                    "parkedBehindMax",
                    node.parkedBehindMax(),
                    limits.parkedBehindMax(),
                    "its tasks are bounded by Queue.most");
            requireUsed("parkedHeld", node.parkedHeld(), limits.parkedHeld(), "its tasks are bounded by Queue.most");
        }
        if (!settlesWithEffect) {
            requireUsed("effectEvents", node.effectEvents(), limits.effectEvents(), NO_EFFECTS);
        }
    }

    private void requireUsed(String limit, Object ofNode, Object own, String instead) {
        if (!own.equals(ofNode)) {
            throw new IllegalArgumentException("subscription '" + name + "' has " + limit + " of its own, " + own
                    + ", which would bound nothing: " + instead);
        }
    }

    /** A task whose process dies in its last moment is found when its lease has run out. */
    private Duration longestAttempt() {
        return queue == null ? limits.handlerTimeout() : queue.timeout().plus(queue.lease());
    }

    private void requirePayload(String pattern, Class<?> payload) {
        if (payload == null) {
            throw refused(new NullPointerException("subscription '" + name + "': payloads of '" + pattern
                    + "' are read as a class such as Order.class, got null; without one a handler gets JSON text"));
        }
    }

    private void requireHandler(String pattern, Object handler) {
        if (handler == null) {
            throw refused(new NullPointerException(
                    "subscription '" + name + "': the handler or destination of '" + pattern + "' is null"));
        }
    }

    private SubscriptionBuilder<T> route(
            String pattern, Function<Function<String, RetryPolicy>, Destination> destination) {
        if (destinations.putIfAbsent(pattern(pattern), destination) != null) {
            throw refused(new IllegalArgumentException(
                    "subscription '" + name + "' has two handlers for '" + pattern + "'; one is allowed"));
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
}
