package io.postrider;

import io.postrider.destination.Source;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.engine.dispatch.Transactions;
import io.postrider.engine.node.Node;
import io.postrider.engine.node.NodeInbox;
import io.postrider.engine.node.NodeOutbox;
import io.postrider.engine.receive.ReceiveRun;
import io.postrider.operate.By;
import io.postrider.operate.DestinationStatus;
import io.postrider.operate.Removal;
import io.postrider.operate.Why;
import io.postrider.store.Store;
import io.postrider.store.Subscriptions;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The way in: append with {@link #outbox}, handle with {@link #subscribe}, stop with {@link #close}.
 *
 * <p>One instance is one node; any number of them, in any number of processes, share the work. Thread-safe.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 */
public final class Postrider<T> implements AutoCloseable {
    private final Store<T> store;
    private final PostriderConfig config;
    private final Environment environment;
    private final boolean ownsEnvironment;
    private final Node node;
    private final NodeOutbox<T> outbox;
    private final NodeInbox<T> inbox;
    private final Transactions<T> transactions;
    private final Observers observers;
    private final Unstarted unstarted;
    private volatile boolean stopped;
    private final Set<Receiving> receivings = ConcurrentHashMap.newKeySet();

    private Postrider(Store<T> store, PostriderConfig config) {
        this.store = store;
        this.config = config;
        Environment supplied = config.suppliedEnvironment();
        this.ownsEnvironment = supplied == null;
        this.environment = supplied == null ? new SystemEnvironment() : supplied;
        this.observers = new Observers(config.observers().stream()
                .map(observer -> observer.forLog(store.log()))
                .toList());
        this.node = new Node(
                config.node() + "-" + EventId.draw(environment.now(), environment.random()),
                store,
                environment,
                config.limits(),
                observers);
        this.outbox = new NodeOutbox<>(store, config, environment, node, observers);
        this.inbox = new NodeInbox<>(store, outbox, observers);
        this.unstarted = new Unstarted(environment);
        this.transactions =
                new Transactions<>(outbox, store.processed(), store.settleWithin(), observers, environment.handlers());
    }

    /** A node on this store, with the default configuration. It delivers once a subscription has been started. */
    public static <T> Postrider<T> on(Store<T> store) {
        return on(store, PostriderConfig.defaults());
    }

    public static <T> Postrider<T> on(Store<T> store, PostriderConfig config) {
        return new Postrider<>(store, config);
    }

    /** Where the application appends, in its own transactions. */
    public Outbox<T> outbox() {
        return outbox;
    }

    /**
     * Runs work in a transaction of the store's: committed when it returns, rolled back when it throws. What it appends
     * is delivered without waiting for a poll, because the commit is seen here.
     */
    public <R> R transaction(Transact.Work<T, R> work) throws Exception {
        return outbox.transact(work);
    }

    /** Where messages from elsewhere are stored once each, for the subscriptions of this log. */
    public Inbox inbox() {
        return inbox;
    }

    /** Receives from a source into this log, on this node, until it is closed or the node is. */
    public Receiving receive(Source source) {
        return receive(source, ReceiveOptions.DEFAULT);
    }

    public Receiving receive(Source source, ReceiveOptions options) {
        ReceiveRun run = new ReceiveRun(source, inbox, options, config.limits(), environment, observers);
        running(run);
        run.start();
        return run;
    }

    /** Describes a consumer that hands messages to its handlers directly; it runs once it is started. */
    public ConsumerBuilder<T> consume(String name, Source source) {
        return new ConsumerBuilder<>(
                name,
                source,
                new ConsumerBuilder.Place<>(config, environment, transactions, inbox, this::running, unstarted));
    }

    private void running(Receiving receiving) {
        if (stopped) {
            throw new IllegalStateException("nothing is received any more, this node was closed");
        }
        receivings.add(receiving);
    }

    /** Describes a subscription; it runs once it is started. */
    public SubscriptionBuilder<T> subscribe(String name) {
        return new SubscriptionBuilder<>(name, config, node, transactions, unstarted);
    }

    /**
     * Removes a subscription with its cursors and records, for good; on this node it ends at once, and may be started
     * anew. Refused while it has dead, expired or waiting events.
     *
     * @throws IllegalArgumentException if there is none of this name, with those that there are
     * @throws IllegalStateException if it still has such events, with how many
     */
    public Subscriptions.Removed remove(String subscription, By by) {
        return remove(subscription, by, Removal.UNLESS_ANY_LEFT);
    }

    /** The same, and says whether dead and waiting events may go with it; the audit tells how many did. */
    public Subscriptions.Removed remove(String subscription, By by, Removal removal) {
        Subscriptions.Removed removed = store.remove(subscription, by, removal);
        if (!removed.found()) {
            throw Subscriptions.unknown(subscription, store.list());
        }
        if (!removed.done()) {
            throw new IllegalStateException("subscription '" + subscription + "' is not removed: it has "
                    + removed.dead() + " dead, " + removed.expired() + " expired and " + removed.waiting()
                    + " waiting events, and " + removed.pending() + " that its lanes have not come to. Let it deliver"
                    + " them, replay or discard those that are dead, or drop them with it by Removal.DROPPING");
        }
        node.removed(subscription);
        return removed;
    }

    /**
     * Where an event stands in a subscription, as the store knows it; and beyond that, as this node does: that the
     * destination it waits for is down, or that transactions are open in which it may be.
     */
    public Why why(String subscription, EventId id) {
        if (id == null) {
            throw new IllegalArgumentException("why is asked of an event by its id, as append returns it; got none");
        }
        Why known = store.search().why(subscription, id);
        if (known instanceof Why.Unknown unknown && store.list().contains(subscription)) {
            return store.openAppends(1).stream()
                    .findFirst()
                    .<Why>map(open -> unknown.orIn(open))
                    .orElse(known);
        }
        return known.waits() ? downOr(known, subscription, id) : known;
    }

    private Why downOr(Why known, String subscription, EventId id) {
        return store.search()
                .story(id)
                .flatMap(story -> node.down(subscription, story.event()))
                .<Why>map(down -> new Why.DestinationDown(
                        down.name(), Objects.requireNonNull(down.downSince()), String.valueOf(down.why()), known))
                .orElse(known);
    }

    /** How the destinations of this node's subscriptions stand: which are down, since when and why. */
    public List<DestinationStatus> destinations() {
        return node.destinations();
    }

    /** The store, for looking at ledgers and deliveries and for deciding about dead events. */
    public Store<T> store() {
        return store;
    }

    /** Begins to stop: no new claims, running handlers finish or are handed back, other nodes take over at once. */
    public CompletableFuture<Void> stop() {
        stopped = true;
        unstarted.tellAll();
        Stream<CompletableFuture<Void>> all =
                Stream.concat(receivings.stream().map(this::stop), Stream.of(node.stop()));
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    /** A handler or a source that never returns must not keep a process from ending. */
    private CompletableFuture<Void> stop(Receiving receiving) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Environment.Timer late = environment.schedule(config.limits().stopWait(), () -> over.complete(null));
        receiving.stop().whenComplete((nothing, failure) -> {
            late.cancel();
            over.complete(null);
        });
        return over;
    }

    /** Stops, and waits until it has. */
    @Override
    public void close() {
        stop().join();
        if (ownsEnvironment) {
            environment.close();
        }
    }
}
