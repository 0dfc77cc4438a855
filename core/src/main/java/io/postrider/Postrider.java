package io.postrider;

import io.postrider.destination.Source;
import io.postrider.engine.base.Abilities;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.engine.dispatch.ForeignTransact;
import io.postrider.engine.dispatch.Transactions;
import io.postrider.engine.node.Node;
import io.postrider.engine.node.NodeInbox;
import io.postrider.engine.node.NodeOutbox;
import io.postrider.engine.receive.ReceiveRun;
import io.postrider.operate.Operator;
import io.postrider.store.Store;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The way in: append with {@link #outbox}, handle with {@link #subscribe}, stop with {@link #close}.
 *
 * <p>One instance is one node; any number of them, in any number of processes, share the work. Thread-safe.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 */
public final class Postrider<T> implements AutoCloseable {
    private final Operator operator;
    private final PostriderConfig config;
    private final Environment environment;
    private final boolean ownsEnvironment;
    private final Node node;
    private final NodeOutbox<T> outbox;
    private final NodeInbox<T> inbox;
    private final Transactions<T> transactions;
    private final Transact<T> withCommit;
    private final Abilities abilities;
    private final Observers observers;
    private final Unstarted unstarted;
    private volatile boolean stopped;
    private final Set<Receiving> receivings = ConcurrentHashMap.newKeySet();

    private Postrider(Store<T> store, PostriderConfig config, @Nullable Transact<T> foreign) {
        config.json(); // before a thread is made: a Jackson that is too old is refused here
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
        this.operator = Operator.on(store, node);
        this.outbox = new NodeOutbox<>(store, config, environment, node, observers);
        this.abilities = new Abilities(store);
        Transact<T> own = outbox.seen(store.transact());
        this.inbox = new NodeInbox<>(store, abilities, outbox, own, observers);
        this.withCommit = foreign == null ? outbox.seen(store.transact(), AppendMode.WITH_COMMIT) : refusing();
        this.unstarted = new Unstarted(environment);
        this.transactions = new Transactions<>(
                store,
                abilities,
                foreign == null ? own : outbox.seen(new ForeignTransact<>(foreign, store.join())),
                foreign != null,
                observers,
                environment.handlers());
    }

    /** A node on this store, with the default configuration. It delivers once a subscription has been started. */
    public static <T> Postrider<T> on(Store<T> store) {
        return on(store, PostriderConfig.defaults());
    }

    public static <T> Postrider<T> on(Store<T> store, PostriderConfig config) {
        return new Postrider<>(store, config, null);
    }

    /**
     * A node whose handlers {@code onTransaction}, and whose {@link #transaction}, run in transactions of a framework's
     * manager; the engine's own statements go on using the store. No subscription of it can settle with its effects.
     */
    public static <T> Postrider<T> on(Store<T> store, PostriderConfig config, Transact<T> transact) {
        Objects.requireNonNull(transact, "without a Transact of your own, leave it out: the store has one");
        return new Postrider<>(store, config, transact);
    }

    /** Where the application appends, in its own transactions. */
    public Outbox<T> outbox() {
        return outbox;
    }

    /**
     * Where the application appends in a transaction whose commit it will see by itself, such as by a framework's
     * synchronization; one for each transaction. {@link TransactionOutbox#committed} then wakes the lanes.
     */
    public TransactionOutbox<T> transactionOutbox() {
        return outbox.ofTransaction();
    }

    /**
     * Runs work in a transaction of the store's, or of the {@link Transact} that this node was given: committed when
     * the work returns, rolled back when it throws. This node sees the commit, so its lanes read the appended events at
     * once.
     *
     * @throws UnsupportedOperationException if the store has no transactions
     */
    public <R> R transaction(Transact.Work<T, R> work) throws Exception {
        return transaction(AppendMode.AT_ONCE, work);
    }

    /**
     * The same, with a choice of when its events are written. {@link AppendMode#WITH_COMMIT} saves a round trip for
     * each append; the commit then throws what an append would throw otherwise.
     *
     * @throws UnsupportedOperationException if a {@link Transact} that this node was given would have to commit events
     */
    public <R> R transaction(AppendMode mode, Transact.Work<T, R> work) throws Exception {
        abilities.requireTransactions(
                "Postrider.transaction runs work in a transaction",
                "change your own data first, then append with outbox(), under an id that a repetition has again");
        return (mode == AppendMode.AT_ONCE ? transactions.transact() : withCommit).transact(work);
    }

    private static <T> Transact<T> refusing() {
        return new Transact<>() {
            @Override
            public <R> R transact(Work<T, R> work) {
                throw new UnsupportedOperationException("events cannot be written with the commit of a Transact of your"
                        + " own, which commits by itself: leave AppendMode.WITH_COMMIT out, or make a node without the"
                        + " Transact");
            }
        };
    }

    /** Stores messages from elsewhere, each once, for the subscriptions of this log. */
    public Inbox inbox() {
        return inbox;
    }

    /** Receives from a source into this log, on this node, until the returned handle or the node is closed. */
    public Receiving receive(Source source) {
        return receive(source, ReceiveOptions.DEFAULT);
    }

    public Receiving receive(Source source, ReceiveOptions options) {
        NodeInbox.requireTransactions(abilities, source.name());
        ReceiveRun run = new ReceiveRun(source, inbox, options, config.limits(), environment, observers);
        running(run);
        run.start();
        return run;
    }

    /** Describes a consumer that hands messages to handlers directly; nothing runs before {@code start()}. */
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

    /** Describes a subscription; nothing runs before {@code start()}. */
    public SubscriptionBuilder<T> subscribe(String name) {
        return new SubscriptionBuilder<>(name, config, node, transactions, unstarted);
    }

    /** The operators' way in: searches, stories and ledgers, and decisions about events that were not delivered. */
    public Operator operator() {
        return operator;
    }

    /** Begins to stop: claims nothing more, finishes or hands back running events; other nodes take over at once. */
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

    /** Stops this node, and waits for its end. */
    @Override
    public void close() {
        stop().join();
        if (ownsEnvironment) {
            environment.close();
        }
    }
}
