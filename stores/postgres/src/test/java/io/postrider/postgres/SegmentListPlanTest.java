package io.postrider.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is written down of each segment is found by its key, so that a list of many segments is made in one pass. */
class SegmentListPlanTest {
    private static final int SEGMENTS = 300;

    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void cut() throws SQLException {
        database.store();
        try (Connection connection = database.begin();
                var statement = connection.createStatement()) {
            for (long number = 1; number <= SEGMENTS; number++) {
                long from = (number + 10) * Segments.WIDTH;
                statement.addBatch("""
                        CREATE TABLE %1$s.event_log_%2$d PARTITION OF %1$s.event_log
                            FOR VALUES FROM (%2$d) TO (%3$d)
                        """.formatted(database.schema(), from, from + Segments.WIDTH));
                statement.addBatch("INSERT INTO %s.segment (log, first, next) VALUES ('event_log', %d, %d)"
                        .formatted(database.schema(), from, from + Segments.WIDTH));
            }
            statement.executeBatch();
            connection.commit();
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void segments_are_listed_by_their_keys() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            Plans.requireKeys(
                    database,
                    mode,
                    Segments.LIST.formatted("event_log", Segments.FIRST) + " AND ?::text = ''",
                    "text",
                    "''");
        }
    }

    @Test
    void the_newest_segments_are_found_by_their_keys() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            Plans.requireKeys(
                    database,
                    mode,
                    SearchSegments.NEWEST,
                    "text, bigint, integer",
                    "'" + database.schema() + ".event_log', 9223372036854775807, 3");
        }
    }

    @Test
    void segments_to_search_are_listed_by_their_keys() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            Plans.requireKeys(database, mode, SearchSegments.LIST, "text", "'" + database.schema() + ".event_log'");
        }
    }
}
