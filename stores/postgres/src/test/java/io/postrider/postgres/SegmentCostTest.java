package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.Start;
import io.postrider.spi.Claim;
import io.postrider.spi.Cursor;
import io.postrider.spi.Park;
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
 * What a read and a look of the watcher cost at the head of a log with few and with many segments. Prints a line for
 * each number of them; {@code -Dsegments=7,200,2000,10000} asks for others.
 */
@Tag("heavy")
class SegmentCostTest {
    private static final int POSITIONS = 100;
    private static final int ROUNDS = 1_000;

    @Test
    void a_read_costs_the_same_however_many_segments_there_are() throws SQLException {
        List<Double> micros = new ArrayList<>();
        for (String number : System.getProperty("segments", "7,200,2000").split(",")) {
            micros.add(measure(Integer.parseInt(number)));
        }
        assertThat(micros.get(micros.size() - 1))
                .as("median microseconds of a read, beside %s with few segments", micros.get(0))
                .isLessThan(5 * micros.get(0));
    }

    private static double measure(int segments) throws SQLException {
        try (TestDatabase database = new TestDatabase()) {
            PostgresStore store = database.store();
            cut(database, segments);
            store.register("wallet", Start.beginning(), "*");
            Claim.ClaimedLane lane = store.claim(
                            new Claim.Claimant("node", "wallet", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                            List.of(),
                            Lane.COUNT)
                    .get(0);
            Cursor behind = Cursor.after(store.now().position() - 16);
            double read = median(() -> store.read(lane.ownership(), behind, 100, 1_000_000));
            Cursor[] now = {store.now()};
            double watch = median(() -> now[0] = store.watch(now[0]).cursor());
            System.out.printf(
                    "%,7d segments: read %,7.0f us, %,7.0f/s; watch %,7.0f us%n", segments, read, 1e6 / read, watch);
            uncut(database, segments);
            return read;
        }
    }

    /** Narrow segments below the head, and some events in the last. */
    private static void cut(TestDatabase database, int segments) throws SQLException {
        database.execute("DROP TABLE {outbox_log_1}");
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            for (int i = 0; i < segments; i++) {
                long from = 1 + (long) i * POSITIONS;
                statement.execute("""
                        CREATE TABLE %1$s.outbox_log_%2$d PARTITION OF %1$s.outbox_log
                            FOR VALUES FROM (%2$d) TO (%3$d)
                        """.formatted(database.schema(), from, from + POSITIONS));
            }
        }
        database.execute("SELECT setval('{outbox_position}', " + ((long) segments * POSITIONS - 50) + ")");
        database.execute("SELECT count({append}('paid', '{}', key => 'key-' || n)) FROM generate_series(1, 32) AS n");
    }

    /** A few at a time: dropping the schema would lock all of them at once. */
    private static void uncut(TestDatabase database, int segments) throws SQLException {
        for (int i = 0; i < segments; i += 100) {
            String some = IntStream.range(i, Math.min(segments, i + 100))
                    .mapToObj(n -> "{outbox_log_" + (1 + (long) n * POSITIONS) + "}")
                    .collect(Collectors.joining(", "));
            database.execute("DROP TABLE " + some);
        }
    }

    private static double median(Runnable work) {
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            work.run();
            nanos[i] = System.nanoTime() - began;
        }
        Arrays.sort(nanos);
        return nanos[ROUNDS / 2] / 1e3;
    }
}
