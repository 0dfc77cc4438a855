package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.policy.Start;
import io.postrider.store.Cursor;
import io.postrider.store.Prune;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transactions that overlap or stay open, and what prune and the stable horizon make of them. */
class OpenTransactionsTest {
    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();
    private final Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
    private final StableHorizon horizon = new StableHorizon(jdbc);

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void appends_that_always_overlap_keep_no_event_from_being_pruned() throws SQLException {
        store.subscriptions().register("wallet", Start.beginning(), "*");
        Deque<Connection> open = new ArrayDeque<>();
        Prune.Pruned pruned = store.prune().prune(Duration.ZERO);
        int dropped = 0;
        for (int i = 0; i < 30; i++) {
            Connection next = database.begin();
            append(next, 40);
            open.addLast(next);
            if (open.size() > 2) {
                commit(open.removeFirst());
            }
            settleEverythingBelowTheOldest();
            pruned = store.prune().prune(Duration.ZERO);
            dropped += pruned.dropped();
        }
        assertThat(dropped).as("segments whose events have gone").isGreaterThan(5);
        assertThat(pruned.undropped())
                .as("empty ones that wait for a moment without an append")
                .isPositive();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isLessThan(500);
        while (!open.isEmpty()) {
            commit(open.removeFirst());
        }
        assertThat(store.prune().prune(Duration.ZERO).undropped()).isZero();
    }

    /** They are noted first and become delivery rows later: a row must not find its event gone. */
    @Test
    void events_that_a_destination_has_lost_stay_until_they_are_rows() throws SQLException {
        store.subscriptions().register("wallet", Start.beginning(), "*");
        store.prune().prune(Duration.ZERO);
        database.execute("SELECT count({append}('paid', '{}')) FROM generate_series(1, 120)");
        settleEverythingBelowTheOldest();
        database.execute("INSERT INTO {lost} (subscription, lane, seal) VALUES ('wallet', 0, '[]')");
        assertThat(store.prune().prune(Duration.ZERO).dropped()
                        + store.prune().prune(Duration.ZERO).dropped())
                .isZero();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(120);
        database.execute("DELETE FROM {lost}");
        assertThat(store.prune().prune(Duration.ZERO).dropped()).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isZero();
    }

    /** A replay of settled events reads the log and gives them rows in one transaction. */
    @Test
    void events_that_are_given_rows_again_stay_until_the_rows_are_there_and_are_copied_then() throws SQLException {
        store.subscriptions().register("wallet", Start.beginning(), "*");
        store.prune().prune(Duration.ZERO);
        database.execute("SELECT count({append}('paid', '{}', key => 'ann')) FROM generate_series(1, 120)");
        settleEverythingBelowTheOldest();
        try (Connection replay = database.begin()) {
            replay.createStatement().execute("""
                            INSERT INTO {delivery}
                                (subscription, lane, position, id, type, status, attempt, due_at, suspect)
                            SELECT 'wallet', l.lane, e.position, e.id, e.type, 'waiting', 0, now(), false
                            FROM {lane} l CROSS JOIN LATERAL {events_between}(l.lane, 4, 5, NULL) e
                            """.replaceAll("\\{(\\w+)}", database.schema() + ".$1"));
            assertThat(store.prune().prune(Duration.ZERO).dropped()
                            + store.prune().prune(Duration.ZERO).dropped())
                    .isZero();
            replay.commit();
        }
        assertThat(store.prune().prune(Duration.ZERO).dropped()).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isZero();
        assertThat(database.number("SELECT count(*) FROM {delivery} WHERE payload IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void a_writer_that_has_not_touched_the_log_does_not_hold_the_horizon() throws SQLException {
        try (Connection other = database.begin()) {
            other.createStatement().execute("SELECT pg_current_xact_id()");
            database.execute("SELECT {append}('paid', '{}')");
            assertThat(stable()).isEqualTo(1);
            other.rollback();
        }
    }

    @Test
    void an_open_append_holds_the_horizon_until_it_ends() throws SQLException {
        database.execute("SELECT {append}('paid', '{}')");
        try (Connection held = database.begin()) {
            append(held, 1);
            database.execute("SELECT {append}('paid', '{}')");
            assertThat(stable()).isZero();
            held.rollback();
        }
        assertThat(stable()).isEqualTo(3);
    }

    @Test
    void locks_are_listed_where_people_look_and_not_for_progress_alone() throws SQLException {
        StatementCount listed = new StatementCount("pg_locks");
        PostgresStore counted = PostgresStore.of(listed.on(database.dataSource()), database.config());
        counted.subscriptions().register("wallet", Start.beginning(), "*");
        database.execute("SELECT {append}('paid', '{}')");
        listed.count();
        assertThat(counted.browse().progress("wallet").pendingEstimate()).isEqualTo(1);
        assertThat(listed.count()).isZero();
        assertThat(counted.browse().progressWithOpenAppend("wallet").openAppend())
                .isNull();
        assertThat(listed.count()).isEqualTo(1);
    }

    @Test
    void a_prepared_append_holds_it_too() throws SQLException {
        try (Connection held = database.begin()) {
            append(held, 1);
            held.createStatement().execute("PREPARE TRANSACTION '" + database.schema() + "'");
            held.rollback();
        }
        try {
            assertThat(stable()).isZero();
            assertThat(store.browse().openAppends(10)).singleElement().satisfies(open -> {
                assertThat(open.transaction()).isEqualTo(database.schema());
                assertThat(open.holder()).startsWith("prepared by ");
                assertThat(open.since()).isNotNull();
            });
        } finally {
            database.execute("ROLLBACK PREPARED '" + database.schema() + "'");
        }
        assertThat(stable()).isEqualTo(1);
    }

    /** Positions that were not durable are drawn again, by transactions that are not decided yet. */
    @Test
    void what_was_stable_before_a_crash_recovery_is_not_after_it() throws SQLException {
        recover();
        database.execute("SELECT {append}('paid', '{}')");
        assertThat(stable()).isEqualTo(1);
        database.execute("DELETE FROM {event_log}");
        database.execute("SELECT setval('{event_position}', 1, false)");
        String incarnation = recover();
        try (Connection held = database.begin()) {
            append(held, 1);
            database.execute("SELECT {append}('paid', '{}')");
            assertThat(horizon.position(incarnation)).isZero();
            assertThat(stable()).isZero();
            held.rollback();
        }
        assertThat(stable()).isEqualTo(2);
        assertThat(horizon.position(incarnation)).isEqualTo(2);
    }

    /** As crash recovery does with unlogged tables; answers the token of the next incarnation. */
    private String recover() throws SQLException {
        database.execute("TRUNCATE {incarnation}");
        database.execute("INSERT INTO {incarnation} DEFAULT VALUES");
        return incarnation();
    }

    private String incarnation() {
        return jdbc.autocommit(connection -> {
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            jdbc.sql("SELECT coalesce((SELECT token FROM {incarnation}), '')"))) {
                row.next();
                return row.getString(1);
            }
        });
    }

    /**
     * Within a second the horizon is not looked for again: what it was before the crash is no floor of the watcher's.
     */
    @Test
    void the_floor_of_a_watcher_never_comes_from_before_a_crash() throws SQLException {
        recover();
        database.execute("SELECT count({append}('paid', '{}')) FROM generate_series(1, 20)");
        PostgresStore watching = database.store();
        Cursor cursor = watching.watch().watch(SnapshotCursor.after(0)).cursor();
        assertThat(cursor.floor()).as("the horizon before the crash").isPositive();
        recover();
        assertThat(watching.watch().watch(SnapshotCursor.after(0)).cursor().floor())
                .isZero();
        database.execute("TRUNCATE {incarnation}");
        assertThat(watching.watch().watch(SnapshotCursor.after(0)).cursor().floor())
                .isZero();
    }

    @Test
    void a_transaction_id_is_told_from_its_lower_half() {
        long near = (5L << 32) + 10;
        for (long xid : List.of(near - 20, near - 1, near, near + 1_000)) {
            assertThat(StableHorizon.full(xid & 0xFFFF_FFFFL, near)).isEqualTo(xid);
        }
    }

    private long stable() {
        return jdbc.autocommit(connection -> {
            horizon.lookNow(connection);
            return horizon.position(incarnation());
        });
    }

    /** As if every lane had read up to the first event of the oldest open transaction. */
    private void settleEverythingBelowTheOldest() throws SQLException {
        database.execute("""
                UPDATE {settlement} SET floor = (
                    SELECT coalesce(max(position), 0) FROM {event_log}), reached = 9000000000000000000
                """);
    }

    private void append(Connection connection, int events) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT count(" + database.schema() + ".append('paid', '{}')) FROM generate_series(1, "
                    + events + ")");
        }
    }

    private static void commit(Connection connection) throws SQLException {
        try (connection) {
            connection.commit();
        }
    }
}
