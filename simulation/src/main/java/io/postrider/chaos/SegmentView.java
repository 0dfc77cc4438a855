package io.postrider.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How the log is cut.
 *
 * @param tables segments that there are, emptied ones included
 * @param emptied those whose events are gone and that are left to be dropped
 * @param made how many there have been, by the number of the newest
 * @param old events in the log that were appended longer ago than asked for
 */
record SegmentView(long tables, long emptied, long made, long old) {
    /** Positions of a segment. */
    static final long WIDTH = 1L << 36;

    private static final String READ = """
            SELECT count(*), count(*) FILTER (WHERE emptied), max(first) / %d + 1,
                (SELECT count(*) FROM postrider.event_log WHERE appended_at < now() - interval '%d milliseconds')
            FROM postrider.segment WHERE log = 'event_log'
            """;

    private static final String COUNT = """
            SELECT count(*), count(*) FILTER (WHERE emptied), max(first) / %d + 1, 0
            FROM postrider.segment WHERE log = 'event_log'
            """;

    /** Looks at every event, and so at every segment. */
    static SegmentView read(Cluster cluster, Duration age) throws SQLException {
        return read(cluster, READ.formatted(WIDTH, age.toMillis()));
    }

    /** Looks at no event, and so locks no segment. */
    static SegmentView count(Cluster cluster) throws SQLException {
        return read(cluster, COUNT.formatted(WIDTH));
    }

    private static SegmentView read(Cluster cluster, String sql) throws SQLException {
        try (Connection connection = cluster.connect("harness");
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return new SegmentView(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
        }
    }

    /** Segments whose events are gone. */
    long freed() {
        return made - tables + emptied;
    }
}
