package io.postrider.postgres;

import io.postrider.policy.Start;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is swept, moved, copied and foreseen is found by indexes, however many rows stay where they are. */
class RetentionPlanTest {
    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void subscribe() {
        database.store().subscriptions().register("kept", Start.beginning(), "");
        database.store().subscriptions().register("other", Start.beginning(), "");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void sweeps_find_what_is_old_among_many_that_are_not() throws SQLException {
        fill();
        guard();
        database.execute("ANALYZE {delivery}");
        database.execute("ANALYZE {dead_events}");
        guard();
    }

    @Test
    void tables_that_were_empty_when_they_were_analyzed_are_swept_by_their_indexes() throws SQLException {
        database.execute("ANALYZE {delivery}");
        database.execute("ANALYZE {dead_events}");
        fill();
        guard();
    }

    private void guard() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            for (String kept : new String[] {"0", "2592000000000"}) {
                Plans.requireIndexes(
                        database,
                        mode,
                        PostgresRetain.DROP_ROWS,
                        "text, text, bigint, text",
                        "'kept', 'dead', " + kept + ", 'kept'");
                Plans.requireIndexes(
                        database,
                        mode,
                        PostgresRetain.DROP_ROWS,
                        "text, text, bigint, text",
                        "'kept', 'expired', " + kept + ", 'kept'");
                Plans.requireIndexes(
                        database, mode, PostgresRetain.DROP_DEAD_EVENTS, "text, bigint", "'kept', " + kept);
            }
            Plans.requireIndexes(database, mode, PostgresDeadEvents.MOVE, "text, text, text", "'kept', 'kept', 'kept'");
            Plans.requireIndexes(database, mode, PostgresDeadEvents.PENDING, "text, bigint, int", "'kept', 0, 100");
            Plans.requireIndexes(database, mode, PostgresForesee.TASKS, "text", "'kept'");
            Plans.requireIndexes(database, mode, PostgresForesee.EVENTS, "text", "'kept'");
            Plans.requireIndexes(database, mode, copy(), "text", "''");
        }
    }

    /** PREPARE wants a parameter, and the statement has none. */
    private static String copy() {
        return PostgresPrune.copy(new Segments.Segment("event_log_1", 1, 101)) + " AND ?::text = ''";
    }

    /** Many that are dead and young, in two subscriptions, with their events in the rows; some whose events are not. */
    private void fill() throws SQLException {
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    changed_at, expires_at, priority, payload, headers, appended_at)
                SELECT subscription, n % 16, n, gen_random_uuid(), 'paid',
                    (ARRAY['dead', 'expired', 'dead', 'ready'])[1 + n % 4], 1, now(), false,
                    now() - n * interval '1 second', now() + interval '1 day', 0,
                    CASE WHEN n > 100 THEN '{}'::json END, '{}', now()
                FROM generate_series(1, 60000) AS n, (VALUES ('kept'), ('other')) AS s (subscription)
                """);
        database.execute("""
                INSERT INTO {event_log} (position, id, type, payload, headers, lane, bytes)
                SELECT n, gen_random_uuid(), 'paid', '{}', '{}', n % 16, 2 FROM generate_series(1, 100) AS n
                """);
        database.execute("""
                INSERT INTO {dead_events} (subscription, lane, position, id, type, payload, headers, appended_at,
                    attempts, died_at, status)
                SELECT subscription, n % 16, n, gen_random_uuid(), 'paid', '{}', '{}', now(), 1,
                    now() - n * interval '1 second', (ARRAY['pending', 'pending', 'pending', 'replayed'])[1 + n % 4]
                FROM generate_series(1000001, 1060000) AS n, (VALUES ('kept'), ('other')) AS s (subscription)
                """);
    }
}
