package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.Lane;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Park;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a read, a look of the watcher, a start and a page of a search cost at the head of a log with few and with many
 * segments. Prints a line for each number of them; {@code -Dsegments=7,200} asks for others.
 */
@Tag("heavy")
class SegmentCostTest {
    private static final int POSITIONS = 100;
    private static final int TIMES_AS_MUCH = 5;

    /** Medians in microseconds. */
    private record Costs(double read, double watch, double start, double search) {}

    @Test
    void reads_looks_starts_and_searches_cost_the_same_however_many_segments_there_are() throws SQLException {
        List<Costs> costs = new ArrayList<>();
        for (String number : System.getProperty("segments", "7,200,2000,10000").split(",")) {
            costs.add(measure(Integer.parseInt(number)));
        }
        Costs few = costs.get(0);
        Costs many = costs.get(costs.size() - 1);
        assertThat(many.read()).as("a read").isLessThan(TIMES_AS_MUCH * few.read());
        assertThat(many.watch()).as("a look of the watcher").isLessThan(TIMES_AS_MUCH * few.watch());
        assertThat(many.start()).as("a start").isLessThan(TIMES_AS_MUCH * few.start());
        assertThat(many.search()).as("a page of a search").isLessThan(TIMES_AS_MUCH * few.search());
    }

    private static Costs measure(int segments) throws SQLException {
        try (TestDatabase database = new TestDatabase()) {
            PostgresStore store = database.store();
            cut(database, segments);
            store.subscriptions().register("wallet", Start.beginning(), "*");
            Claim.ClaimedLane lane = store.claim()
                    .claim(
                            new Claim.Claimant("node", "wallet", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                            List.of(),
                            Lane.COUNT_DEFAULT)
                    .get(0);
            SnapshotCursor behind = SnapshotCursor.after(store.watch().now().position() - 16);
            Cursor[] now = {store.watch().now()};
            Costs costs = new Costs(
                    median(1_000, () -> store.claim().read(lane.ownership(), behind, 100, 1_000_000)),
                    median(1_000, () -> now[0] = store.watch().watch(now[0]).cursor()),
                    median(30, database::store),
                    median(100, () -> store.search().events(EventFilter.ALL, null, 20)));
            System.out.printf(
                    "%,7d segments: read %,7.0f us, watch %,7.0f us, start %,9.0f us, search %,9.0f us%n",
                    segments, costs.read(), costs.watch(), costs.start(), costs.search());
            uncut(database, segments);
            return costs;
        }
    }

    /** Narrow segments below the head, and some events in the last. */
    private static void cut(TestDatabase database, int segments) throws SQLException {
        database.execute("DROP TABLE {event_log_1}");
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            for (int i = 0; i < segments; i++) {
                long from = 1 + (long) i * POSITIONS;
                statement.execute("""
                        CREATE TABLE %1$s.event_log_%2$d PARTITION OF %1$s.event_log
                            FOR VALUES FROM (%2$d) TO (%3$d)
                        """.formatted(database.schema(), from, from + POSITIONS));
            }
        }
        database.execute("""
                DELETE FROM {segment} WHERE log = 'event_log';
                INSERT INTO {segment} (log, first, next)
                SELECT 'event_log', first, first + %1$d FROM generate_series(1, %2$d, %1$d) AS first
                """.formatted(POSITIONS, (long) segments * POSITIONS));
        database.execute("SELECT setval('{event_position}', " + ((long) segments * POSITIONS - 50) + ")");
        database.execute("SELECT count({append}('paid', '{}', key => 'key-' || n)) FROM generate_series(1, 32) AS n");
    }

    /** A few at a time: dropping the schema would lock all of them at once. */
    private static void uncut(TestDatabase database, int segments) throws SQLException {
        for (int i = 0; i < segments; i += 100) {
            String some = IntStream.range(i, Math.min(segments, i + 100))
                    .mapToObj(n -> "{event_log_" + (1 + (long) n * POSITIONS) + "}")
                    .collect(Collectors.joining(", "));
            database.execute("DROP TABLE " + some);
        }
    }

    private static double median(int rounds, Runnable work) {
        long[] nanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            long began = System.nanoTime();
            work.run();
            nanos[i] = System.nanoTime() - began;
        }
        Arrays.sort(nanos);
        return nanos[rounds / 2] / 1e3;
    }
}
