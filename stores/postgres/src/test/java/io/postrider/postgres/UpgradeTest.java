package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Data that an earlier version has left is taken over. */
class UpgradeTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_log_of_the_first_version_goes_on() throws SQLException {
        migrateTo(1);
        database.execute("SELECT {append}('paid', '{}', key => 'ann')");
        PostgresStore store = database.store();
        database.execute("SELECT {append}('paid', '{}', key => 'ann')");
        store.prune().prune(Duration.ZERO);
        assertThat(database.number("SELECT count(DISTINCT lane) FROM {outbox}")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM {outbox}")).isEqualTo(2);
        assertThat(database.number("SELECT count(*) FROM {gap}")).isZero();
    }

    @Test
    void what_an_operator_had_decided_and_no_owner_had_counted_is_counted() throws SQLException {
        migrateTo(2);
        database.execute("INSERT INTO {subscription} (name, filter) VALUES ('s', '')");
        database.execute("INSERT INTO {lane} (subscription, lane) SELECT 's', generate_series(0, 15)");
        database.execute("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT 's', lane, 0, 1, 4, '1:1:', '1', 4, 0, 0, 0, CASE WHEN lane = 3 THEN 3 ELSE 0 END, 0, 0
                FROM {lane}
                """);
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect)
                SELECT 's', 3, position, gen_random_uuid(), 'paid', status, 1, now(), false
                FROM (VALUES (1, 'dead'), (2, 'retrying'), (3, 'discarded')) AS row (position, status)
                """);
        assertThat(database.store().browse().ledger("s")).isEqualTo(new Ledger(new Counts(0, 0, 1, 1, 0, 1), 0));
        assertThat(database.number("SELECT count(*) FROM {delivery}")).isEqualTo(2);
    }

    @Test
    void where_subscriptions_began_is_noted_from_their_first_settlements_also_of_the_past() throws SQLException {
        migrateTo(32);
        database.execute("INSERT INTO {subscription} (name, filter) VALUES ('here', ''), ('past', ''), ('lost', '')");
        database.execute(
                "INSERT INTO {lane} (subscription, lane) SELECT name, generate_series(0, 15) FROM {subscription}");
        database.execute("CREATE TABLE {settlement_5} (LIKE {settlement} INCLUDING ALL)");
        database.execute("INSERT INTO {segment} (log, first, next, detached) VALUES ('settlement', 5, 6, true)");
        String settlement = """
                INSERT INTO {%s} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, lane, 0, %d, %d, '1:1:', '1', 4, 0, 0, 0, 0, 0, 0 FROM {lane}
                WHERE subscription IN (%s) AND lane >= %d
                """;
        database.execute(settlement.formatted("settlement", 1, 9, "'here', 'past', 'lost'", 0));
        database.execute(settlement.formatted("settlement", 0, 7, "'here'", 3));
        database.execute(settlement.formatted("settlement_5", 0, 8, "'past'", 3));
        database.store();
        assertThat(database.number("SELECT began FROM {subscription} WHERE name = 'here'"))
                .isEqualTo(7);
        assertThat(database.number("SELECT began FROM {subscription} WHERE name = 'past'"))
                .isEqualTo(8);
        assertThat(database.number("SELECT began FROM {subscription} WHERE name = 'lost'"))
                .isZero();
    }

    @Test
    void a_role_that_was_let_read_before_an_upgrade_reads_every_view_after_it() throws SQLException {
        migrateTo(43);
        String reader = "reader_" + database.schema();
        database.execute("CREATE ROLE " + reader);
        try {
            database.execute("SELECT {grant_read}('" + reader + "')");
            PostgresStore store = database.store();
            store.subscriptions().register("s", Start.beginning(), "paid");
            database.execute("SELECT {append}('paid', '{}')");
            store.subscriptions().register("s", Start.beginning(), "paid sent");
            database.execute("UPDATE {past_filter} SET reached = 1, floor = 1, filter = 'sent'");
            database.execute("""
                    INSERT INTO {attempt} (position, subscription, attempt, outcome)
                    SELECT position, 's', 1, 'skipped' FROM {outbox_log}
                    """);
            for (String view :
                    database.texts("SELECT viewname FROM pg_views WHERE schemaname = '" + database.schema() + "'")) {
                database.execute("SET LOCAL ROLE " + reader + "; SELECT count(*), max(r::text) FROM {" + view + "} r");
            }
        } finally {
            database.execute("DROP OWNED BY " + reader + "; DROP ROLE " + reader);
        }
    }

    @Test
    void a_log_that_is_appended_to_all_the_while_is_upgraded_and_loses_nothing() throws Exception {
        migrateTo(27);
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong appended = new AtomicLong();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> appends = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                try (Connection connection = database.begin();
                        var statement = connection.createStatement()) {
                    statement.execute("SELECT " + database.schema() + ".append('paid', '{}', key => 'k"
                            + appended.get() % 7 + "')");
                    connection.commit();
                    appended.incrementAndGet();
                    begun.countDown();
                } catch (SQLException e) {
                    throw new IllegalStateException("an append failed beside the migration", e);
                }
            }
        });
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        PostgresStore store = database.store();
        long atUpgrade = appended.get();
        Eventually.holds(LONG, () -> assertThat(appended.get()).isGreaterThan(atUpgrade));
        over.set(true);
        appends.get(30, TimeUnit.SECONDS);
        try (Postrider<Connection> node = Postrider.on(store)) {
            node.subscribe("all").on("paid", (payload, context) -> {}).start();
            Eventually.holds(
                    LONG,
                    () -> assertThat(store.browse().ledger("all"))
                            .isEqualTo(new Ledger(new Counts(appended.get(), 0, 0, 0, 0, 0), 0)));
        }
        assertThat(database.number("SELECT count(*) FROM {outbox_log}")).isEqualTo(appended.get());
    }

    private void migrateTo(int version) {
        List<Migration> known = Migration.known().stream()
                .filter(migration -> migration.version() <= version)
                .toList();
        Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
        new PostgresMigrator(jdbc, database.config(), known).apply();
    }
}
