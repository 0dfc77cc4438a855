package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is written down of the segments, and found by its key, is the same as what the catalog lists. */
class NewestSegmentsTest {
    private static final int SEGMENTS = 12;
    private static final int FILLED = 9;
    private static final long BEYOND = (SEGMENTS + 2) * Segments.WIDTH;

    private final TestDatabase database = new TestDatabase();
    private SearchSegments segments;

    @BeforeEach
    void cut() throws SQLException {
        database.store();
        segments = new SearchSegments(new Jdbc(database.dataSource(), database.schema()));
        for (int number = 1; number <= SEGMENTS; number++) {
            attach(number * Segments.WIDTH);
            write(number * Segments.WIDTH);
        }
        drawn(FILLED * Segments.WIDTH + 5);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void the_newest_segments_are_those_that_the_catalog_lists() throws SQLException {
        assertSame();
    }

    @Test
    void emptied_segments_are_left_out_of_both() throws SQLException {
        database.execute("UPDATE {segment} SET emptied = true WHERE first IN (1, %d, %d)"
                .formatted(2 * Segments.WIDTH, (FILLED - 1) * Segments.WIDTH));
        assertSame();
    }

    @Test
    void the_first_position_of_a_segment_belongs_to_it() throws SQLException {
        drawn(FILLED * Segments.WIDTH);
        assertSame();
        drawn(FILLED * Segments.WIDTH - 1);
        assertSame();
    }

    @Test
    void the_catalog_is_asked_where_a_segment_is_not_written_down() throws SQLException {
        attach(BEYOND);
        assertThat(newest(BEYOND, 5)).isEmpty();
        assertThat(below(BEYOND, 5)).isEqualTo(listed(BEYOND, 5));
    }

    @Test
    void the_catalog_is_asked_where_positions_were_drawn_beyond_all_segments() throws SQLException {
        drawn(BEYOND);
        assertThat(newest(BEYOND + 1, 5)).isEmpty();
        assertThat(below(BEYOND + 1, 5)).isEqualTo(listed(BEYOND + 1, 5)).isNotEmpty();
    }

    private void assertSame() throws SQLException {
        long[] positions = {
            1,
            Segments.WIDTH,
            Segments.WIDTH + 1,
            5 * Segments.WIDTH + 7,
            FILLED * Segments.WIDTH,
            BEYOND,
            Long.MAX_VALUE
        };
        for (long position : positions) {
            for (int most : new int[] {1, 3, 100}) {
                assertThat(newest(position, most))
                        .as("at most %s below %s", most, position)
                        .contains(listed(position, most));
            }
        }
    }

    private Optional<List<SearchSegments.SearchSegment>> newest(long position, int most) throws SQLException {
        try (Connection connection = database.begin()) {
            return segments.newest(connection, position, most);
        }
    }

    private List<SearchSegments.SearchSegment> listed(long position, int most) throws SQLException {
        try (Connection connection = database.begin()) {
            return segments.listed(connection, position, most);
        }
    }

    private List<SearchSegments.SearchSegment> below(long position, int most) throws SQLException {
        try (Connection connection = database.begin()) {
            return segments.below(connection, position, most);
        }
    }

    private void attach(long first) throws SQLException {
        database.execute("CREATE TABLE {event_log_%1$d} PARTITION OF {event_log} FOR VALUES FROM (%1$d) TO (%2$d)"
                .formatted(first, first + Segments.WIDTH));
    }

    private void write(long first) throws SQLException {
        database.execute("INSERT INTO {segment} (log, first, next) VALUES ('event_log', %d, %d)"
                .formatted(first, first + Segments.WIDTH));
    }

    private void drawn(long position) throws SQLException {
        database.execute("SELECT setval('{event_position}', " + position + ")");
    }
}
