package io.postrider;

import io.postrider.engine.HandlerDestination;
import io.postrider.engine.Node;
import io.postrider.engine.Routes;
import io.postrider.engine.SubscriptionSpec;
import io.postrider.spi.Destination;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Describes a subscription: which events, where to, and what happens when it fails. Not thread-safe.
 *
 * <p>Ordered by key, from the beginning of the log and with {@link RetryPolicy#DEFAULT}, unless it says otherwise.
 */
public final class SubscriptionBuilder {
    private final String name;
    private final PostriderConfig config;
    private final Node node;
    private final Map<TypePattern, Function<Function<String, RetryPolicy>, Destination>> destinations =
            new LinkedHashMap<>();
    private final Map<String, RetryPolicy> retryByType = new HashMap<>();
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private Start start = Start.beginning();
    private AfterDead afterDead = AfterDead.GO_ON;
    private boolean ordered = true;
    private @Nullable Queue queue;
    private Limits limits;
    private Retention retention = Retention.DEFAULT;

    SubscriptionBuilder(String name, PostriderConfig config, Node node) {
        if (name.isBlank() || name.length() > Event.NAME_MAX) {
            throw new IllegalArgumentException(
                    "a subscription's name has 1 to " + Event.NAME_MAX + " characters, got '" + name + "'");
        }
        this.name = name;
        this.config = config;
        this.node = node;
        this.limits = config.limits();
    }

    /** Handles events of a type, or of all types a pattern matches, with the payload read as this class. */
    public <P> SubscriptionBuilder on(String pattern, Class<P> payload, Handler<P> handler) {
        return route(
                pattern,
                policies -> HandlerDestination.single(
                        handler, event -> config.json().decode(event.payload(), payload), policies));
    }

    /** Handles events with the payload as JSON text. */
    public SubscriptionBuilder on(String pattern, Handler<String> handler) {
        return route(pattern, policies -> HandlerDestination.single(handler, StoredEvent::payload, policies));
    }

    /** Handles up to {@code most} events at once, with the payloads read as this class. */
    public <P> SubscriptionBuilder onBatch(String pattern, Class<P> payload, int most, BatchHandler<P> handler) {
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least one event, got " + most);
        }
        return route(
                pattern,
                policies -> HandlerDestination.batch(
                        most, handler, event -> config.json().decode(event.payload(), payload), policies));
    }

    /** Sends events to another destination. */
    public SubscriptionBuilder to(String pattern, Destination destination) {
        return route(pattern, policies -> destination);
    }

    /** Where it begins when it is new. */
    public SubscriptionBuilder from(Start start) {
        this.start = start;
        return this;
    }

    /** Events are delivered in any order, those of one key also at the same time. */
    public SubscriptionBuilder unordered() {
        this.ordered = false;
        return this;
    }

    /** For tasks that take long: each event is claimed and run alone, by priority and in no order. */
    public SubscriptionBuilder queue(Queue queue) {
        this.queue = queue;
        this.ordered = false;
        return this;
    }

    /** What becomes of the events that follow a dead one of their key. */
    public SubscriptionBuilder afterDead(AfterDead afterDead) {
        this.afterDead = afterDead;
        return this;
    }

    public SubscriptionBuilder retry(RetryPolicy retry) {
        this.retry = retry;
        return this;
    }

    /** Another policy for one event type. */
    public SubscriptionBuilder retry(String type, RetryPolicy retry) {
        retryByType.put(type, retry);
        return this;
    }

    /** Other limits than the node's, where they are a subscription's: concurrency, batches, timeouts, parkedMax. */
    public SubscriptionBuilder limits(Limits limits) {
        this.limits = limits;
        return this;
    }

    /** How long dead and expired events are kept, where, and when old ones are given up; for good unless told so. */
    public SubscriptionBuilder retention(Retention retention) {
        this.retention = retention;
        return this;
    }

    /** Registers the subscription and begins to deliver on this node. */
    public void start() {
        if (destinations.isEmpty()) {
            throw new IllegalStateException("subscription '" + name + "' has no handler");
        }
        Map<TypePattern, Destination> built = new LinkedHashMap<>();
        Function<String, RetryPolicy> policies = type -> retryByType.getOrDefault(type, retry);
        destinations.forEach((pattern, make) -> built.put(pattern, make.apply(policies)));
        node.start(new SubscriptionSpec(
                name, start, ordered, afterDead, retry, retryByType, new Routes(built), limits, queue, retention));
    }

    private SubscriptionBuilder route(
            String pattern, Function<Function<String, RetryPolicy>, Destination> destination) {
        if (destinations.putIfAbsent(new TypePattern(pattern), destination) != null) {
            throw new IllegalArgumentException(
                    "subscription '" + name + "' has two handlers for '" + pattern + "'; one is allowed");
        }
        return this;
    }
}
