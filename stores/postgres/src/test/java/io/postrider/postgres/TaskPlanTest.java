package io.postrider.postgres;

import io.postrider.policy.Start;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The statements of a queue find their rows by indexes, however many others there are. */
class TaskPlanTest {
    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void createQueue() {
        database.store().subscriptions().register("tasks", Start.beginning(), "");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_queue_is_swept_and_claimed_by_its_indexes() throws SQLException {
        fill();
        claimAndSweep();
        database.execute("ANALYZE {delivery}");
        claimAndSweep();
    }

    @Test
    void a_queue_that_was_empty_when_it_was_analyzed_is_claimed_by_its_indexes() throws SQLException {
        database.execute("ANALYZE {delivery}");
        fill();
        claimAndSweep();
    }

    private void claimAndSweep() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            Plans.requireIndexes(
                    database,
                    mode,
                    PostgresTasks.PREPARE,
                    "text, text, text, text, text, smallint[], bigint[], text[], text, bigint, text",
                    "'tasks', NULL, 'tasks', 'tasks', 'tasks', '{}', '{}', '{}', 'node', 10000000, 'tasks'");
            String pick = "'tasks', false, false, '{}', 10000000, 10";
            Plans.requireIndexes(
                    database,
                    mode,
                    PostgresTasks.CLAIM,
                    "text, text, text, boolean, boolean, text, bigint, int, text, boolean, boolean, text, bigint, int,"
                            + " text, bigint",
                    "'tasks', '', " + pick + ", " + pick + ", 'node', 30000000");
        }
    }

    /** Ready ones of many priorities and with and without an expiry, some that wait, some under leases, many dead. */
    private void fill() throws SQLException {
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    priority, expires_at, lease_until, payload, headers, appended_at)
                SELECT 'tasks', n % 16, n, gen_random_uuid(), 'render', status, 0, now() + due, false,
                    n % 7, CASE WHEN n % 5 = 0 THEN now() + interval '1 day' END,
                    CASE WHEN status = 'running' THEN now() + interval '1 minute' END, '{}', '{}', now()
                FROM generate_series(1, 60000) AS n, LATERAL (
                    SELECT (ARRAY['ready', 'waiting', 'dead', 'running', 'dead', 'expired'])[1 + n % 6] AS status,
                        CASE n % 6 WHEN 1 THEN interval '1 hour' ELSE interval '-1 hour' END AS due) AS drawn
                """);
    }
}
