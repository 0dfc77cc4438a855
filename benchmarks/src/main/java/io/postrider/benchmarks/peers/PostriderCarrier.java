package io.postrider.benchmarks.peers;

import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Versions;
import io.postrider.benchmarks.measure.Waiting;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;

/** Ours: ordered by key, with the limits it has by default but for what is tuned. */
final class PostriderCarrier implements Carrier {
    static final String SUBSCRIPTION = "bench";
    private static final int CONNECTIONS = 20;

    @Override
    public String name() {
        return "postrider " + Versions.of("postrider");
    }

    @Override
    public String appending() {
        return "append, workers idle";
    }

    @Override
    public String delivering(Tuning tuning) {
        return String.format(
                Locale.ROOT,
                "ordered by key, %d handlers at once, lease %d s",
                tuning.threads(),
                tuning.failover().toSeconds());
    }

    @Override
    public Tuning fastest() {
        return new Tuning(SubscriptionLimits.DEFAULT.concurrency(), Tuning.OFTEN, NodeLimits.DEFAULT.lease());
    }

    @Override
    public void prepare(Database database) {}

    @Override
    public Node storing(DataSource pool) {
        return new Storing(Postrider.on(PostgresStore.of(pool)), pool);
    }

    @Override
    public Node delivering(DataSource pool, Tuning tuning, Receiver receiver) {
        NodeLimits limits = NodeLimits.builder()
                .subscriptions(s -> s.concurrency(tuning.threads()))
                .lease(tuning.failover())
                .build();
        return new Delivering(
                Postrider.on(PostgresStore.of(pool), PostriderConfig.defaults().limits(limits)), receiver);
    }

    @Override
    public int connections(Tuning tuning) {
        return CONNECTIONS;
    }

    @Override
    public void awaitShared(Database database, int nodes) throws Exception {
        Waiting.untilShared(database, nodes);
    }

    @Override
    public boolean wakesItself() {
        return true;
    }

    @Override
    public Optional<String> whyNotShared() {
        return Optional.empty();
    }

    @Override
    public List<String> tables() {
        return List.of("postrider.%");
    }

    private static void append(Postrider<Connection> node, Connection transaction, List<Outgoing> events) {
        if (events.size() == 1) {
            node.outbox().append(transaction, event(events.get(0)));
        } else {
            node.outbox()
                    .append(
                            transaction,
                            events.stream().map(PostriderCarrier::event).toList());
        }
    }

    private static Event event(Outgoing event) {
        return Event.of(Payloads.TYPE, Payload.json(event.payload())).key(event.key());
    }

    /** On the caller's raw connection; no subscription runs. */
    private record Storing(Postrider<Connection> node, DataSource pool) implements Node {
        @Override
        public void transaction(Work work) throws SQLException {
            RawTransaction.commit(
                    pool, transaction -> work.run(transaction, events -> append(node, transaction, events)));
        }

        @Override
        public void start() {}

        @Override
        public void close() {
            node.close();
        }
    }

    private record Delivering(Postrider<Connection> node, Receiver receiver) implements Node {
        @Override
        public void transaction(Work work) throws Exception {
            node.transaction(transaction -> {
                work.run(transaction, events -> append(node, transaction, events));
                return true;
            });
        }

        @Override
        public void start() {
            node.subscribe(SUBSCRIPTION)
                    .on(Payloads.TYPE, (payload, context) -> receiver.receive(payload))
                    .start();
        }

        @Override
        public void close() {
            node.close();
        }
    }
}
