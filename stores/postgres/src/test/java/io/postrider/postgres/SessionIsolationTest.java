package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.operate.Removal;
import io.postrider.policy.AfterDead;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the engine does in transactions of its own does not depend on the isolation that sessions have by default. */
class SessionIsolationTest {
    private static final By BY = new By("ann", "a test");
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int TRIES_MAX = 50;

    private final TestDatabase database = TestDatabase.prepared();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @AfterEach
    void close() {
        System.setErr(before);
        threads.shutdownNow();
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void ddl_sees_what_was_committed_while_it_waited_for_its_lock(String level) throws Exception {
        database.isolation(level);
        Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
        database.execute("CREATE TABLE {locked} (); CREATE TABLE {late} (); CREATE TABLE {seen} (number bigint)");
        Future<Boolean> ddl;
        try (Connection holder = database.begin();
                var statement = holder.createStatement()) {
            statement.execute(jdbc.sql("LOCK TABLE {locked} IN ACCESS SHARE MODE"));
            statement.execute(jdbc.sql("INSERT INTO {late} DEFAULT VALUES"));
            ddl = threads.submit(
                    () -> jdbc.autocommit(connection -> Ddl.attempt(jdbc, connection, SOON, jdbc.sql("""
                            LOCK TABLE {locked} IN ACCESS EXCLUSIVE MODE;
                            INSERT INTO {seen} SELECT count(*) FROM {late}
                            """))));
            awaitWaiting();
            holder.commit();
        }
        assertThat(ddl.get()).isTrue();
        assertThat(database.number("SELECT number FROM {seen}")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void an_event_that_becomes_a_delivery_row_while_prune_waits_for_its_segment_is_kept(String level) throws Exception {
        database.isolation(level);
        PostgresStore store = database.store();
        database.execute("SELECT {append}('paid', '{}', key => 'key')");
        database.execute("SELECT setval('{event_position}', nextval('{event_position}') + 99)");
        store.prune().prune(Duration.ofDays(1));
        store.subscriptions().register("letters", Start.end(), "");
        Prunes prunes = new Prunes(store);
        for (int tries = 1; prunes.dropped == 0; tries++) {
            assertThat(tries).as("prunes whose patience was over").isLessThan(TRIES_MAX);
            database.execute("DELETE FROM {delivery}");
            beside(prunes, """
                    INSERT INTO {delivery} (subscription, lane, position, id, type, key, status, attempt, due_at,
                        suspect)
                    SELECT 'letters', lane, position, id, type, key, 'waiting', 0, now(), false
                    FROM {event_log}
                    """);
        }
        assertThat(database.number("SELECT count(*) FROM {delivery} WHERE payload IS NOT NULL"))
                .isEqualTo(1);
    }

    private static final class Prunes implements Callable<Integer> {
        private final PostgresStore store;
        private int dropped;

        Prunes(PostgresStore store) {
            this.store = store;
        }

        @Override
        public Integer call() {
            dropped = store.prune().prune(Duration.ZERO).dropped();
            return dropped;
        }
    }

    /** Runs a statement, whose transaction commits when the call waits for a lock that it holds. */
    private void beside(Callable<?> call, String sql) throws Exception {
        Future<?> waiting;
        try (Connection holder = database.begin();
                var statement = holder.createStatement()) {
            statement.execute(sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1"));
            waiting = threads.submit(call);
            while (!waiting.isDone() && waiting() == 0) {
                Thread.onSpinWait();
            }
            holder.commit();
        }
        waiting.get();
    }

    private void awaitWaiting() throws SQLException {
        Eventually.holds(SOON, () -> assertThat(waiting()).isPositive());
    }

    private long waiting() throws SQLException {
        return database.number("""
                SELECT count(*) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND datname = current_database()
                """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void a_removal_sees_the_dead_event_that_was_buried_while_it_waited(String level) throws Exception {
        database.isolation(level);
        PostgresStore store = database.store();
        store.subscriptions().register("letters", Start.beginning(), "");
        CompletableFuture<Object> removed = new CompletableFuture<>();
        beside(() -> removed.complete(store.operate().remove("letters", BY, Removal.values()[0])), """
                WITH lane AS (SELECT lane FROM {lane} WHERE subscription = 'letters' FOR SHARE)
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect)
                SELECT 'letters', 1, 1, gen_random_uuid(), 'paid', 'dead', 1, now(), false
                FROM (SELECT max(lane) FROM lane) l
                """);
        assertThat(store.browse().subscriptions()).containsExactly("letters");
        assertThat(removed.get()).isNotNull();
    }

    // ---- from end to end --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void nodes_deliver_retry_replay_discard_and_prune_without_an_error(String level) throws Exception {
        database.isolation(level);
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        database.execute("CREATE TABLE {effect} (name text NOT NULL)");
        try (Postrider<Connection> one = node("one");
                Postrider<Connection> two = node("two")) {
            subscribe(one, "**");
            subscribe(two, "**");
            for (int round = 0; round < 5; round++) {
                append(one, "good", 40);
                append(two, "bad", 8);
                database.store().prune().prune(Duration.ofDays(1));
            }
            await(one, 200, 40);
            decide(one);
            await(one, 200, 0);
            Eventually.holds(
                    SOON, () -> assertThat(effects()).as("the replayed one too").isEqualTo(201));
        }
        try (Postrider<Connection> other = node("other")) {
            subscribe(other, "good");
            append(other, "good", 10);
            await(other, 210, 0);
        }
        assertThat(effects()).isEqualTo(211);
        assertThat(told.toString(StandardCharsets.UTF_8)).doesNotContain("ERROR");
    }

    private long effects() throws SQLException {
        return database.number("SELECT count(*) FROM {effect}");
    }

    /** A delivered event is replayed, dead ones are discarded, each beside a prune. */
    private void decide(Postrider<Connection> node) throws Exception {
        Operate operate = node.operator().operate();
        long good = database.number("SELECT min(position) FROM {event_log} WHERE type = 'good'");
        Future<?> prune = threads.submit(() -> database.store().prune().prune(Duration.ofDays(1)));
        assertThat(operate.replayDelivered("letters", new Position(good), BY)).isEqualTo(Operate.Answer.DONE);
        for (Delivery dead : node.operator().browse().deliveries("letters", Delivery.Status.DEAD, Position.ZERO, 100)) {
            assertThat(operate.discard("letters", dead.position(), BY)).isEqualTo(Operate.Answer.DONE);
        }
        prune.get();
    }

    private Postrider<Connection> node(String name) {
        NodeLimits limits = NodeLimits.builder().lease(Duration.ofSeconds(2)).build();
        return Postrider.on(
                database.store(), PostriderConfig.defaults().node(name).limits(limits));
    }

    private void subscribe(Postrider<Connection> node, String types) {
        node.subscribe("letters")
                .onTransaction(types, (transaction, text, context) -> {
                    if (context.event().type().equals("bad")) {
                        throw new IllegalStateException("no");
                    }
                    try (var statement = transaction.createStatement()) {
                        statement.execute("INSERT INTO " + database.schema() + ".effect VALUES ('done')");
                    }
                })
                .retry(RetryPolicy.DEFAULT.attempts(2).pauses(Duration.ofMillis(5), Duration.ofMillis(20)))
                .afterDead(AfterDead.GO_ON)
                .from(Start.beginning())
                .start();
    }

    private void append(Postrider<Connection> node, String type, int number) throws SQLException {
        try (Connection transaction = database.begin()) {
            List<Event> events = java.util.stream.IntStream.range(0, number)
                    .mapToObj(key -> Event.of(type, "payload").key("key " + key).id(new EventId(UUID.randomUUID())))
                    .toList();
            node.outbox().append(transaction, events);
            transaction.commit();
        }
    }

    private static void await(Postrider<Connection> node, long delivered, long dead) throws SQLException {
        Eventually.holds(SOON, () -> {
            assertThat(node.operator().browse().ledger("letters").counts().delivered())
                    .isEqualTo(delivered);
            assertThat(node.operator().browse().ledger("letters").counts().dead())
                    .isEqualTo(dead);
        });
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    void an_append_works_within_a_transaction_of_each_level(int level) throws Exception {
        try (Postrider<Connection> node = node("one")) {
            node.subscribe("letters")
                    .on("**", (text, context) -> {})
                    .from(Start.beginning())
                    .start();
            for (int round = 0; round < 3; round++) {
                try (Connection transaction = database.begin()) {
                    transaction.setTransactionIsolation(level);
                    transaction
                            .createStatement()
                            .executeQuery("SELECT count(*) FROM pg_class")
                            .close();
                    node.outbox().append(transaction, List.of(Event.of("good", "a"), Event.of("good", "b")));
                    database.store().prune().prune(Duration.ofDays(1));
                    transaction.commit();
                }
            }
            await(node, 6, 0);
        }
    }
}
