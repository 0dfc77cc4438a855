package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.StoredEvent;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Records that a transaction holds which does not end, as that of a node which was frozen inside a handler. */
class HeldRecordsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int POOL = 8;
    private static final int CONCURRENCY = 3;
    private static final int HELD = 12;

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();
    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.server(), POOL);
    private final Queue<Observation> observed = new ConcurrentLinkedQueue<>();
    private final Queue<String> handled = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        pool.close();
        database.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void they_hold_up_neither_appends_nor_leases_nor_other_subscriptions_and_cost_no_attempt(boolean within)
            throws Exception {
        store.subscriptions().register("billing", Start.beginning(), "order"); // of nodes that keep records
        append(IntStream.range(0, HELD).mapToObj(n -> event("order", n)).toList());
        try (Connection frozen = database.begin();
                Postrider<Connection> node = node()) {
            for (StoredEvent event :
                    store.search().events(EventFilter.ALL, null, HELD).events()) {
                assertThat(store.processed().first(frozen, event.id(), "billing"))
                        .isTrue();
            }
            start(node, within);
            for (int i = 0; i < 20; i++) {
                int number = i;
                node.transaction(transaction -> node.outbox().append(transaction, event("other", number)));
                Eventually.holds(PATIENCE, () -> assertThat(handled).hasSize(number + 1));
                assertThat(waitingFor(frozen)).isLessThanOrEqualTo(CONCURRENCY);
            }
            awaitBilling(new Counts(0, 0, HELD, 0, 0, 0));
            frozen.commit();
            awaitBilling(new Counts(HELD, 0, 0, 0, 0, 0));
        }
        assertThat(handled).hasSize(20).allMatch("other"::equals);
        assertThat(observed).noneMatch(Observation.Lost.class::isInstance);
    }

    private long waitingFor(Connection frozen) throws SQLException {
        int pid = frozen.unwrap(PGConnection.class).getBackendPID();
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE " + pid + " = ANY (pg_blocking_pids(pid))");
    }

    private void awaitBilling(Counts counts) {
        Eventually.holds(
                PATIENCE,
                () -> assertThat(withoutSkips(store.browse().ledger("billing").counts()))
                        .isEqualTo(counts));
    }

    /** The events of the other subscription, which settle as skipped sooner or later. */
    private static Counts withoutSkips(Counts counts) {
        return new Counts(counts.delivered(), 0, counts.parked(), counts.dead(), counts.expired(), counts.discarded());
    }

    private void start(Postrider<Connection> node, boolean within) {
        var billing = node.subscribe("billing")
                .onTransaction("order", String.class, (transaction, text, context) -> handled.add(context.type()))
                .retry(RetryPolicy.DEFAULT.attempts(1).pauses(Duration.ofMillis(20), Duration.ofMillis(20)));
        (within ? billing.settleWithEffect() : billing).start();
        node.subscribe("healthy")
                .onTransaction("other", String.class, (transaction, text, context) -> handled.add(context.type()))
                .start();
    }

    private Postrider<Connection> node() {
        NodeLimits limits = NodeLimits.builder()
                .pollMin(Duration.ofMillis(2))
                .lease(Duration.ofSeconds(5))
                .subscriptions(s -> s.concurrency(CONCURRENCY).handlerTimeout(Duration.ofMillis(500)))
                .build();
        return Postrider.on(
                PostgresStore.of(pool, database.config()),
                PostriderConfig.defaults().limits(limits).observer(observed::add));
    }

    private void append(List<Event> events) throws Exception {
        try (Postrider<Connection> application = Postrider.on(store)) {
            application.transaction(transaction -> application.outbox().append(transaction, events));
        }
    }

    private static Event event(String type, int number) {
        return Event.of(type, type + "-" + number).key("key-" + number);
    }
}
