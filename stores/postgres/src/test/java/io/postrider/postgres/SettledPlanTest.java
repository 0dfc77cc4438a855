package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.operate.By;
import io.postrider.operate.Operation;
import io.postrider.policy.Start;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Replays of settled events look at their range of the log alone, however long it is, and at no other table's whole.
 */
class SettledPlanTest {
    private static final int LOG = 100_000;
    private static final String TYPES =
            "text, text[], text, text, text, text, text, timestamptz, timestamptz, text, int, bigint, bigint";
    private static final String RANGE =
            "'letters', '{delivered,skipped}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 50000, 50320";
    private static final String TIMES = "'letters', '{delivered,skipped}', NULL, NULL, NULL, NULL, NULL,"
            + " timestamptz '2020-01-01' + interval '50000 minutes',"
            + " timestamptz '2020-01-01' + interval '50300 minutes',"
            + " NULL, NULL, NULL, NULL";

    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void fill() throws SQLException {
        database.store().subscriptions().register("letters", Start.beginning(), "");
        database.store().subscriptions().register("others", Start.beginning(), "");
        database.execute("""
                INSERT INTO {event_log} (id, type, key, payload, headers, lane, bytes, appended_at)
                SELECT gen_random_uuid(), 'paid', 'k' || n, '{}', '{}', n %% 16, 2,
                    timestamptz '2020-01-01' + n * interval '1 minute'
                FROM generate_series(1, %d) AS n
                """.formatted(LOG));
        database.execute("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, lane, epoch, 1, %1$d, pg_current_snapshot(), pg_current_xact_id(), %1$d,
                    0, 0, 0, 0, 0, 0
                FROM {lane}
                """.formatted(LOG));
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect)
                SELECT 'others', n % 16, n, gen_random_uuid(), 'paid', 'dead', 10, now(), false
                FROM generate_series(1, 50000) AS n
                """);
        database.execute("""
                INSERT INTO {attempt} (subscription, position, attempt, outcome)
                SELECT 'others', n, 10, 'dead' FROM generate_series(1, 50000) AS n
                """);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void previews_and_starts_look_at_their_range_alone() throws SQLException {
        for (int look = 0; look < 2; look++) {
            for (Plans.Mode mode : Plans.Mode.values()) {
                for (String target : new String[] {RANGE, TIMES}) {
                    Plans.requireIndexes(database, mode, PostgresSettledOperations.COUNT, TYPES, target);
                    Plans.requireIndexes(
                            database,
                            mode,
                            PostgresSettledOperations.SAMPLE,
                            TYPES + ", int, int",
                            target + ", 10, 10");
                }
            }
            analyze();
        }
    }

    @Test
    void a_chunk_looks_at_so_many_events_wherever_the_operation_is() throws SQLException {
        Operation.Target target =
                Operation.Target.delivered("letters").positions(new Position(20_000), new Position(90_000));
        Operation started = database.store()
                .operations()
                .start(Operation.Kind.REPLAY, target, Operation.Pace.UNLIMITED, new By("ann", "the plan is looked at"))
                .orElseThrow();
        assertThat(started.progress().total()).isEqualTo(70_001);
        String values = started.id() + ", 0, 1000, 1000, 500, 1000000";
        String types = "bigint, bigint, int, int, int, bigint";
        for (int look = 0; look < 2; look++) {
            for (Plans.Mode mode : Plans.Mode.values()) {
                Plans.requireIndexes(database, mode, PostgresSettledChunks.MOVE, types, values);
            }
            analyze();
        }
    }

    @Test
    void a_time_is_found_in_the_log_by_halving() throws SQLException {
        assertThat(positionAt("2020-01-01 00:00")).isEqualTo(16);
        assertThat(positionAt("2020-01-08 00:00")).isEqualTo(10_080);
        assertThat(positionAt("2020-01-08 00:00:01")).isEqualTo(10_096);
        assertThat(positionAt("2030-01-01 00:00")).isEqualTo(LOG + 1);
    }

    /** Of lane 0, whose events are at 16, 32, 48 … and as many minutes after the beginning of 2020. */
    private long positionAt(String time) throws SQLException {
        String sql = "SELECT " + database.schema() + ".position_at(0::smallint, timestamptz '" + time + "')";
        try (var connection = database.dataSource().getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void analyze() throws SQLException {
        for (String table : new String[] {"event_log", "settlement", "delivery", "attempt"}) {
            database.execute("ANALYZE {" + table + "}");
        }
    }
}
