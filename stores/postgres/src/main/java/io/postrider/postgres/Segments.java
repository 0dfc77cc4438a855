package io.postrider.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The segments of one table: partitions by ranges of its positions, made ahead of its sequence and dropped whole.
 *
 * <p>What finds no segment goes to a default partition: an append never fails for want of one. See {@link Overflow}.
 */
final class Segments {
    /** Segments kept ready ahead of the sequence. */
    private static final int AHEAD = 4;

    /** Those of a partition, as the catalog tells them. */
    static final Pattern BOUNDS = Pattern.compile("FROM \\('(\\d+)'\\) TO \\('(\\d+)'\\)");

    private final Jdbc jdbc;
    private final String table;
    private final String sequence;
    private final long size;
    private final Overflow overflow;

    /** Positions {@code from} to {@code to}, exclusive. */
    record Segment(String name, long from, long to) {
        boolean contains(long position) {
            return from <= position && position < to;
        }
    }

    Segments(Jdbc jdbc, String table, String sequence, long size) {
        this.jdbc = jdbc;
        this.table = table;
        this.sequence = sequence;
        this.size = size;
        this.overflow = new Overflow(jdbc, table, sequence);
    }

    List<Segment> list(Connection connection) throws SQLException {
        String sql = """
                SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
                FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = ?::regclass
                """;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, jdbc.sql("{" + table + "}"));
            List<Segment> segments = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    // Without bounds it was dropped meanwhile.
                    Matcher bounds = BOUNDS.matcher(Objects.requireNonNullElse(row.getString(2), ""));
                    if (bounds.find()) {
                        segments.add(new Segment(
                                row.getString(1), Long.parseLong(bounds.group(1)), Long.parseLong(bounds.group(2))));
                    }
                }
            }
            segments.sort(Comparator.comparingLong(Segment::from));
            return segments;
        }
    }

    /** Makes what is missing ahead of the sequence; answers how many segments that were. */
    int extend(Connection connection) throws SQLException {
        long head = head(connection);
        long end = end(list(connection));
        if (head < end) {
            return extend(connection, head);
        }
        return overflow.becomesSegment(connection, end, head) ? 1 + extend(connection, head) : 0;
    }

    private int extend(Connection connection, long head) throws SQLException {
        List<Segment> segments = list(connection);
        Optional<Segment> overflown = segments.stream()
                .filter(segment -> segment.contains(head) && Overflow.made(segment))
                .findAny();
        long next = overflown.map(Segment::to).orElse(head);
        long from = end(segments);
        int made = 0;
        while (from <= next + AHEAD * size && attach(connection, from, from + size)) {
            made++;
            from += size;
        }
        if (overflown.isPresent() && from > next) {
            overflow.end(connection, overflown.get());
        }
        return made;
    }

    private static long end(List<Segment> segments) {
        return segments.stream().mapToLong(Segment::to).max().orElse(1);
    }

    private long head(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        jdbc.sql("SELECT coalesce(pg_sequence_last_value('{" + sequence + "}'), 0)"))) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * The table is made first, unattached and with its bounds as a constraint, so that attaching has nothing to check.
     *
     * <p>A statement that began before the commit does not know the segment and sends its positions to the default
     * partition, which then refuses them. So the segment must still be well ahead of the sequence once it is attached
     * and the default partition is locked: otherwise it is given up, and the default partition takes the rows. Nor may
     * a later statement of the same transaction know it, if it needs no lock that the transaction does not have: that
     * one fails if it draws a position beyond all segments that there were when its transaction began, millions ahead.
     */
    private boolean attach(Connection connection, long from, long to) throws SQLException {
        String segment = "{" + table + "_" + from + "}";
        String ddl = """
                CREATE TABLE %1$s (
                    LIKE {%2$s} INCLUDING ALL,
                    CONSTRAINT bounds CHECK (position >= %4$d AND position < %5$d)
                );
                ALTER TABLE {%2$s} ATTACH PARTITION %1$s FOR VALUES FROM (%4$d) TO (%5$d);
                ALTER TABLE %1$s DROP CONSTRAINT bounds;
                DO $$ BEGIN
                    IF (SELECT last_value FROM {%3$s}) >= %6$d THEN RAISE lock_not_available; END IF;
                END $$
                """.formatted(segment, table, sequence, from, to, from - size / 2);
        return Ddl.attempt(jdbc, connection, jdbc.sql(ddl));
    }

    /** Drops a segment after other work in the same transaction; false if a lock was not to be had. */
    boolean drop(Connection connection, Segment segment, String before) throws SQLException {
        return Ddl.attempt(jdbc, connection, before + "DROP TABLE " + jdbc.sql("{" + segment.name() + "}"));
    }
}
