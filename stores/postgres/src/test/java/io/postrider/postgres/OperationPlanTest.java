package io.postrider.postgres;

import io.postrider.policy.Start;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The statements of operations find their rows by indexes, however many are dead. */
class OperationPlanTest {
    private static final String TARGET_TYPES =
            "text, text[], text, text, text, text, text, timestamptz, timestamptz, text, int, bigint, bigint";
    private static final String TARGET =
            "'few', '{dead}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL";
    private static final String MANY =
            "'many', '{dead}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL";

    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void fill() throws SQLException {
        database.store().subscriptions().register("many", Start.beginning(), "");
        database.store().subscriptions().register("few", Start.beginning(), "");
        bury("many", 100_000);
        bury("few", 500);
        database.execute("""
                INSERT INTO {operation} (kind, subscription, states, per_second, canary, canary_failures, who, why,
                    state, total, reached, up_to, epoch, started_at)
                SELECT 'replay', 'many', '{dead,expired}', 0, 0, 0, 'ann', '', 'running', 100000, n * 30000, 100000, 1,
                    now() + interval '1 hour'
                FROM generate_series(0, 3) AS n
                """);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_chunk_is_found_by_an_index_wherever_the_operation_is() throws SQLException {
        chunks();
        database.execute("ANALYZE {delivery}");
        chunks();
    }

    @Test
    void a_preview_reads_the_rows_of_its_subscription_alone() throws SQLException {
        previews();
        database.execute("ANALYZE {delivery}");
        previews();
    }

    @Test
    void what_became_of_a_replay_is_counted_by_an_index() throws SQLException {
        database.execute("UPDATE {delivery} SET operation = 1, status = 'waiting' WHERE position < 300");
        for (int look = 0; look < 2; look++) {
            for (Plans.Mode mode : Plans.Mode.values()) {
                Plans.requireIndexes(
                        database,
                        mode,
                        PostgresChunks.WATCH,
                        "bigint, bigint, bigint, int, int",
                        "1000000, 1, 1, 1000, 1000");
            }
            database.execute("ANALYZE {delivery}");
        }
    }

    private void chunks() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            for (int operation = 1; operation <= 4; operation++) {
                String values = operation + ", 1, 500, 500, 500, 1000000";
                String types = "bigint, bigint, int, int, int, bigint";
                Plans.requireIndexes(database, mode, PostgresChunks.replay(), types, values);
                Plans.requireIndexes(database, mode, PostgresChunks.discard(), types, values);
            }
        }
    }

    private void previews() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            Plans.requireIndexes(database, mode, PostgresOperations.COUNT, TARGET_TYPES, TARGET);
            Plans.requireIndexes(
                    database, mode, PostgresOperations.SAMPLE, TARGET_TYPES + ", int, int", TARGET + ", 10, 10");
            Plans.requireIndexes(
                    database, mode, PostgresOperations.SAMPLE, TARGET_TYPES + ", int, int", MANY + ", 10, 10");
        }
    }

    private void bury(String subscription, int dead) throws SQLException {
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    error, payload, headers, appended_at)
                SELECT '%s', n %% 16, n, gen_random_uuid(), 'paid',
                    CASE WHEN n %% 100 = 0 THEN 'expired' ELSE 'dead' END,
                    10, now(), false, 'connection refused', '{}', '{}', now()
                FROM generate_series(1, %d) AS n
                """.formatted(subscription, dead));
    }
}
