package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The statements of the engine's path use their indexes at every size of the log, with and without statistics, planned
 * for their values or for any. Each is run, so that a plan which visits rows in vain is found as well: those of a lane
 * down to a floor that a long transaction holds back.
 */
class PlanTest {
    private static final int SEGMENT = 50_000;
    private static final int SEGMENTS = 3;
    private static final int LIMIT = 1_000;
    private static final String FRESH_TYPES = "bigint, int, bigint, int";

    private final TestDatabase database = new TestDatabase();
    private PostgresStore store;

    @BeforeEach
    void createStore() {
        store = PostgresStore.of(
                database.dataSource(),
                PostgresStoreConfig.DEFAULT.schema(database.schema()).segmentSize(SEGMENT));
        store.subscriptions().register("plans", Start.beginning(), "");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_empty_log_is_read_by_its_indexes() throws SQLException {
        allPlansUseIndexes();
    }

    @Test
    void a_log_of_several_segments_is_read_by_its_indexes_before_and_after_it_is_analyzed() throws SQLException {
        fill();
        allPlansUseIndexes();
        database.execute("ANALYZE {event_log}, {settlement}, {lane}");
        allPlansUseIndexes();
    }

    @Test
    void a_log_that_was_empty_when_it_was_analyzed_is_read_by_its_indexes() throws SQLException {
        database.execute("ANALYZE {event_log}, {settlement}, {lane}");
        fill();
        allPlansUseIndexes();
    }

    /** Nothing tells PostgreSQL to plan anew while a segment fills up, until it is analyzed. */
    @Test
    void a_plan_that_was_made_for_an_empty_log_is_good_for_a_full_one() throws SQLException {
        database.execute("ALTER TABLE {event_log_1} SET (autovacuum_enabled = false)");
        database.execute("ANALYZE {event_log}");
        for (String form : List.of(PostgresRead.small("%s"), PostgresRead.large("%s"))) {
            try (Connection reader = database.begin()) {
                Plans.prepare(
                        database, reader, Plans.Mode.ONCE, form.formatted(PostgresRead.Statements.FRESH), FRESH_TYPES);
                Plans.requireIndexes(reader, freshValues(0));
                append(SEGMENT / 2);
                Plans.requireIndexes(reader, freshValues(SEGMENT / 4));
                Plans.deallocate(reader);
            }
        }
    }

    private void allPlansUseIndexes() throws SQLException {
        try (Connection holder = database.begin()) {
            long held = xid(holder);
            long head = database.number("SELECT last_value FROM {event_position}");
            for (Plans.Mode mode : Plans.Mode.values()) {
                read(mode, PostgresRead.small("%s"), held, head);
                read(mode, PostgresRead.large("%s"), held, head);
                newestSettlement(mode);
                watch(mode, held, head);
                explain(mode, LogChecks.newest(head), "", "");
                explain(mode, LogChecks.newest(head - SEGMENT / 2), "", "");
            }
        }
    }

    private void read(Plans.Mode mode, String form, long held, long head) throws SQLException {
        fresh(mode, form, 0);
        fresh(mode, form, head / 2);
        fresh(mode, form, head);
        late(mode, form, held, head / 2);
        late(mode, form, held, head);
    }

    private void fresh(Plans.Mode mode, String form, long after) throws SQLException {
        explain(mode, form.formatted(PostgresRead.Statements.FRESH), FRESH_TYPES, freshValues(after));
    }

    private static String freshValues(long after) {
        return "9999, 3, %d, %d".formatted(after, LIMIT);
    }

    /** As while a transaction stays open: the floor cannot follow, and its xid is in progress in every snapshot. */
    private void late(Plans.Mode mode, String form, long held, long position) throws SQLException {
        String values = "9999, '{%2$s}', 3, 0, %1$d, 3, 0, %1$d, '%3$d', '%4$d', NULL, NULL, %5$d"
                .formatted(position, inProgress(held), held + 1, held + 10, LIMIT);
        explain(
                mode,
                form.formatted(PostgresRead.Statements.LATE),
                "bigint, text, int, bigint, bigint, int, bigint, bigint, text, text, text, text, int",
                values);
    }

    /** A snapshot's transactions in progress: this one still is, and one has ended since. */
    private static String inProgress(long held) {
        return held - 1 + "," + held;
    }

    private void newestSettlement(Plans.Mode mode) throws SQLException {
        explain(mode, PostgresClaim.NEWEST, "smallint[], text", "'{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}', 'plans'");
    }

    private void watch(Plans.Mode mode, long held, long head) throws SQLException {
        explain(
                mode,
                PostgresWatch.LOOK.replace("{fresh}", "{event_log}").replace("{late}", "{event_log}"),
                "int, bigint, text, bigint, bigint, bigint, bigint, text, text",
                "16, %1$d, '{%2$s}', 0, %1$d, 0, %1$d, '%3$d', '%4$d'"
                        .formatted(head, inProgress(held), held + 1, held + 10));
    }

    private void explain(Plans.Mode mode, String sql, String types, String values) throws SQLException {
        Plans.requireIndexes(database, mode, sql, types, values);
    }

    /** Events of many transactions in several segments, and settlements of every lane. */
    private void fill() throws SQLException {
        for (int i = 0; i < SEGMENTS; i++) {
            store.prune().prune(Duration.ofDays(1));
            for (int j = 0; j < 10; j++) {
                append(SEGMENT / 10);
            }
        }
        for (Claim.ClaimedLane lane : store.claim()
                .claim(
                        new Claim.Claimant("node", "plans", "", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        Lane.COUNT_DEFAULT)) {
            for (int i = 1; i <= 100; i++) {
                store.settle()
                        .settle(new Settlement(
                                lane.ownership(), i, SnapshotCursor.after(i), lane.counts(), List.of(), List.of()));
            }
        }
    }

    private void append(int events) throws SQLException {
        database.execute("""
                INSERT INTO {event_log} (id, type, payload, headers, lane, bytes)
                SELECT gen_random_uuid(), 'plan', '{}', '{}', n %% 16, 2 FROM generate_series(1, %d) AS s (n)
                """.formatted(events));
    }

    private static long xid(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_xact_id()::text")) {
            row.next();
            return Long.parseLong(row.getString(1));
        }
    }
}
