package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Removal;
import io.postrider.operate.Search;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool whose connections ask for another isolation, or for no writes, from the first migration to the removal. */
class PoolIsolationTest {
    private static final By BY = new By("ann", "a test");
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration KEPT = Duration.ofDays(1);
    private static final int EVENTS = 250;
    private static final int PRUNES_MAX = 50;

    private final TestDatabase database = new TestDatabase();
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @AfterEach
    void close() {
        System.setErr(before);
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read\\ committed", "repeatable\\ read", "serializable"})
    void everything_is_delivered_swept_indexed_and_removed_as_by_default(String level) throws Exception {
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try (HikariDataSource pool = TestDatabase.poolWithOptions("-c default_transaction_isolation=" + level)) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            database.execute("CREATE TABLE {effect} (name text NOT NULL)");
            try (Postrider<Connection> one = node(store, "one");
                    Postrider<Connection> two = node(PostgresStore.of(pool, database.config()), "two")) {
                subscribe(one);
                subscribe(two);
                append(one);
                awaitDelivered(store);
                sweep(store);
                assertIndexed(store);
            }
            assertRemoved(store);
        }
        assertThat(told.toString(StandardCharsets.UTF_8))
                .as("what was logged, the dead events among it")
                .contains("failing")
                .doesNotContain("] ERROR io.postrider", "40001", "could not serialize");
    }

    @Test
    void an_effect_that_another_transaction_records_meanwhile_costs_no_attempt_and_is_no_outage() throws Exception {
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try (HikariDataSource pool =
                TestDatabase.poolWithOptions("-c default_transaction_isolation=repeatable\\ read")) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            database.execute("CREATE TABLE {effect} (name text NOT NULL)");
            try (Postrider<Connection> node = node(store, "one");
                    Connection other = database.begin()) {
                EventId id = node.transaction(transaction -> node.outbox().append(transaction, Event.of("paid", "a")));
                assertThat(store.processed().first(other, id, "effects")).isTrue();
                node.subscribe("effects")
                        .onTransaction("paid", String.class, (transaction, name, context) -> insert(transaction, name))
                        .retry(RetryPolicy.DEFAULT.attempts(1))
                        .start();
                Eventually.holds(SOON, () -> assertThat(database.number("""
                                SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'
                                """)).isPositive());
                other.commit();
                Eventually.holds(
                        SOON,
                        () -> assertThat(store.browse()
                                        .ledger("effects")
                                        .counts()
                                        .delivered())
                                .isEqualTo(1));
            }
            assertThat(database.number("SELECT count(*) FROM {effect}")).isZero();
        }
        assertThat(told.toString(StandardCharsets.UTF_8)).doesNotContain("ERROR io.postrider");
    }

    private static Postrider<Connection> node(PostgresStore store, String name) {
        return Postrider.on(store, PostriderConfig.defaults().node(name));
    }

    private void subscribe(Postrider<Connection> node) {
        node.subscribe("effects")
                .onTransaction("paid", String.class, (transaction, name, context) -> insert(transaction, name))
                .settleWithEffect()
                .from(Start.beginning())
                .start();
        node.subscribe("tasks")
                .on("paid", String.class, (name, context) -> {})
                .queue(Queue.DEFAULT)
                .from(Start.beginning())
                .start();
        node.subscribe("failing")
                .on("lost", String.class, (name, context) -> {
                    throw new IllegalStateException("no");
                })
                .retry(RetryPolicy.DEFAULT.attempts(1))
                .from(Start.beginning())
                .start();
    }

    private void insert(Connection transaction, String name) throws SQLException {
        try (var insert = transaction.prepareStatement("INSERT INTO " + database.schema() + ".effect VALUES (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    private static void append(Postrider<Connection> node) throws Exception {
        for (String type : List.of("paid", "lost")) {
            int number = type.equals("paid") ? EVENTS : 5;
            List<Event> events = IntStream.range(0, number)
                    .mapToObj(i -> Event.of(type, type + i).key("key " + i % 20))
                    .toList();
            node.transaction(transaction -> node.outbox().append(transaction, events));
        }
    }

    private void awaitDelivered(PostgresStore store) throws SQLException {
        Eventually.holds(SOON, () -> {
            assertThat(store.browse().ledger("effects").counts().delivered()).isEqualTo(EVENTS);
            assertThat(store.browse().ledger("tasks").counts().delivered()).isEqualTo(EVENTS);
            assertThat(store.browse().deliveries("failing", Delivery.Status.DEAD, Position.ZERO, 10))
                    .isNotEmpty();
        });
        assertThat(database.number("SELECT count(*) FROM {effect}")).isEqualTo(EVENTS);
        assertThat(database.number("SELECT count(DISTINCT name) FROM {effect}")).isEqualTo(EVENTS);
    }

    private static void sweep(PostgresStore store) {
        assertThat(store.retain()
                        .sweep("failing", Retention.DEFAULT.dead(Duration.ZERO))
                        .drops())
                .isNotEmpty();
    }

    private void assertIndexed(PostgresStore store) throws SQLException {
        for (int i = 0; i < PRUNES_MAX && indexes() == 0; i++) {
            store.prune().prune(KEPT);
        }
        assertThat(indexes()).as("search indexes of closed segments").isPositive();
        assertThat(store.search()
                        .deliveries("effects", Search.State.DELIVERED, EventFilter.ALL, null, 10)
                        .events())
                .hasSize(10);
    }

    private long indexes() throws SQLException {
        return database.number("SELECT count(*) FROM pg_indexes WHERE schemaname = '" + database.schema()
                + "' AND indexname LIKE 'event\\_log\\_%\\_by\\_key'");
    }

    private static void assertRemoved(PostgresStore store) {
        for (String name : List.of("effects", "tasks", "failing")) {
            assertThat(store.operate().remove(name, BY, Removal.DROPPING).done())
                    .isTrue();
        }
        assertThat(store.browse().subscriptions()).isEmpty();
    }

    @Test
    void a_connection_that_writes_nothing_is_named_at_the_start_and_by_an_append() throws Exception {
        try (HikariDataSource pool = TestDatabase.poolWithOptions("-c default_transaction_read_only=on")) {
            assertThatThrownBy(() -> PostgresStore.of(pool, database.config()))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("writes nothing")
                    .hasMessageContaining("default_transaction_read_only");
            database.store();
            PostgresStore store = PostgresStore.of(pool, database.config().migrate(Migrate.NEVER));
            try (Postrider<Connection> node = node(store, "one")) {
                assertThatThrownBy(() -> node.transaction(
                                transaction -> node.outbox().append(transaction, Event.of("paid", "a"))))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("default_transaction_read_only");
                assertThatThrownBy(() -> store.subscriptions().register("letters", Start.end(), ""))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("default_transaction_read_only");
            }
        }
    }
}
