package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * When an event was settled, by settlements of which some are of the past. The settlement with the number n is of the
 * year 2000 + n and reached the position 10 n: 1 and 2 are in the older segment of the past, 3 and 4 in the newer one,
 * 5 and 6 are not of the past.
 */
class SettledAtTest {
    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void settle() throws SQLException {
        database.store().subscriptions().register("letters", Start.beginning(), "");
        database.execute("UPDATE {subscription} SET created_at = '2000-01-01'");
        database.execute("DELETE FROM {settlement}");
        settle("settlement", 5, 6);
        for (int segment : new int[] {7, 8}) {
            database.execute("CREATE TABLE {settlement_" + segment + "} (LIKE {settlement} INCLUDING ALL)");
            database.execute("INSERT INTO {segment} (log, first, next, detached) VALUES ('settlement', " + segment
                    + ", " + (segment + 1) + ", true)");
        }
        settle("settlement_7", 1, 2);
        settle("settlement_8", 3, 4);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void settle(String table, int from, int to) throws SQLException {
        database.execute("""
                INSERT INTO {%s} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded, settled_at)
                SELECT 'letters', 0, 0, n, 10 * n, '1:1:', '1', 10 * n, 0, 0, 0, 0, 0, 0, make_date(2000 + n, 1, 1)
                FROM generate_series(%d, %d) AS n
                """.formatted(table, from, to));
    }

    @Test
    void each_event_has_the_time_of_the_first_settlement_that_came_past_it_in_whichever_segment() throws SQLException {
        assertThat(yearOf(55)).isEqualTo(2006);
        assertThat(yearOf(45)).as("the first one that is not of the past").isEqualTo(2005);
        assertThat(yearOf(35)).isEqualTo(2004);
        assertThat(yearOf(25)).as("the first one of a segment of the past").isEqualTo(2003);
        assertThat(yearOf(15)).isEqualTo(2002);
    }

    @Test
    void a_settlement_that_was_copied_forward_counts_once() throws SQLException {
        settle("settlement", 4, 4);
        settle("settlement_8", 2, 2);
        assertThat(yearOf(45)).isEqualTo(2005);
        assertThat(yearOf(35)).isEqualTo(2004);
        assertThat(yearOf(25)).isEqualTo(2003);
        assertThat(yearOf(15)).isEqualTo(2002);
    }

    @Test
    void a_segment_in_which_the_lane_settled_nothing_is_passed_over() throws SQLException {
        database.execute("DELETE FROM {settlement_8}");
        assertThat(yearOf(25)).isEqualTo(2005);
        assertThat(yearOf(15)).isEqualTo(2002);
    }

    @Test
    void an_event_before_all_settlements_that_are_left_has_no_time() throws SQLException {
        assertThat(yearOf(5)).isNull();
        database.execute("UPDATE {settlement} SET number = 0 WHERE number = 5");
        assertThat(yearOf(45)).as("the subscription began behind it").isNull();
    }

    @Test
    void a_segment_that_is_dropped_meanwhile_has_no_times_and_is_no_error() throws SQLException {
        database.execute("DROP TABLE {settlement_7}");
        assertThat(yearOf(35)).isEqualTo(2004);
        assertThat(yearOf(25)).isNull();
        assertThat(yearOf(15)).isNull();
        database.execute("DELETE FROM {segment} WHERE first = 7");
        assertThat(yearOf(15)).isNull();
    }

    @Test
    void of_an_event_that_is_pending_the_past_is_not_asked() throws SQLException {
        assertThat(tablesOfThePastAsked(65)).isZero();
        assertThat(tablesOfThePastAsked(55)).isZero();
        assertThat(tablesOfThePastAsked(45)).isEqualTo(1);
    }

    private long tablesOfThePastAsked(int position) throws SQLException {
        try (Connection connection = database.begin();
                var statement = connection.createStatement()) {
            yearOf(connection, position);
            String locks = """
                    SELECT count(DISTINCT relation) FROM pg_locks
                    WHERE pid = pg_backend_pid()
                      AND relation IN ('{settlement_7}'::regclass, '{settlement_8}'::regclass)
                    """.replaceAll("\\{(\\w+)}", database.schema() + ".$1");
            try (ResultSet row = statement.executeQuery(locks)) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private @Nullable Integer yearOf(int position) throws SQLException {
        try (Connection connection = database.begin()) {
            return yearOf(connection, position);
        }
    }

    private @Nullable Integer yearOf(Connection connection, int position) throws SQLException {
        String sql = "SELECT extract(year FROM " + database.schema() + ".settled_at('letters', 0::smallint, " + position
                + ", '5'))::int";
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getObject(1, Integer.class);
        }
    }
}
