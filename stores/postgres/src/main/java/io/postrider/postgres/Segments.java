package io.postrider.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The segments of one table: partitions by ranges of its positions. Positions are drawn in one of them, the open one;
 * the next is made ahead; the closed ones are emptied and dropped.
 *
 * <p>A range is so wide ({@link #WIDTH}) that no one draws its last position. A segment ends because prune moves the
 * sequence to the first position of the next one, once enough positions of it were drawn <em>and</em> every open
 * transaction knows the next one. A transaction that holds the table's lock keeps the list of segments it had when it
 * took that lock, and sends positions of a later segment to the default partition, which refuses them. So the
 * transactions that held the lock when a segment was made are written down ({@code unaware}), and no position of the
 * segment is drawn before they have ended. While one of them stays open the open segment grows, and no append fails.
 *
 * <p>A session that reads the list at the very moment in which a segment is made may keep the old list beyond its
 * transaction, until it is told of another change. So there are two rounds: once the first transactions have ended
 * every session is told again ({@code refreshed}), and those that hold the lock then are waited for. Should a session
 * be mistaken after all, a constraint of the default partition refuses its row, which would be lost on readers there.
 *
 * <p>In the same way a closed segment is left alone until the transactions that may still write to it have ended
 * ({@code writers}).
 *
 * <p>The default partition is for positions of databases whose segments were narrow. See {@link Overflow}.
 */
final class Segments {
    /** Positions of a segment. PostgreSQL runs out of transaction ids before one open transaction sees that many. */
    static final long WIDTH = 1L << 36;

    /** Segments that one transaction empties or drops at most: each of them takes some locks. */
    static final int AT_ONCE = 16;

    /** Those of a partition, as the catalog tells them. */
    static final Pattern BOUNDS = Pattern.compile("FROM \\('(\\d+)'\\) TO \\('(\\d+)'\\)");

    /**
     * The first position of partition {@code c}, by its name; null for the default partition. A number, so that the
     * rows of many segments are found by their key: compared as names, each is compared with every partition.
     */
    static final String FIRST = "substring(c.relname::text FROM '[0-9]+$')::bigint";

    static final String LIST = """
            SELECT c.relname, g.first, g.next, g.refreshed AND coalesce(g.unaware = '{}', false),
                coalesce(g.writers = '{}', false), g.emptied,
                CASE WHEN g.first IS NULL THEN pg_get_expr(c.relpartbound, c.oid) END
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            LEFT JOIN {segment} g ON g.log = '%1$s' AND NOT g.detached AND g.first = %2$s
            WHERE i.inhparent = '{%1$s}'::regclass
            """;

    private final Jdbc jdbc;
    private final String table;
    private final String sequence;
    private final long size;
    private final Overflow overflow;

    /**
     * Positions {@code from} to {@code to}, exclusive.
     *
     * @param written it is written down, and what follows is known of it
     * @param known every open transaction, and every session, knows it
     * @param still nobody writes to it any more
     * @param emptied its rows are gone
     */
    record Segment(String name, long from, long to, boolean written, boolean known, boolean still, boolean emptied) {
        Segment(String name, long from, long to) {
            this(name, from, to, false, false, false, false);
        }

        boolean contains(long position) {
            return from <= position && position < to;
        }
    }

    Segments(Jdbc jdbc, String table, String sequence, long size) {
        this.jdbc = jdbc;
        this.table = table;
        this.sequence = sequence;
        this.size = size;
        this.overflow = new Overflow(jdbc, table);
    }

    // ---- which there are --------------------------------------------------------------------------------------------

    /**
     * By position. The bounds are those that are written down, where they are: PostgreSQL takes long to tell those of
     * many partitions.
     */
    List<Segment> list(Connection connection) throws SQLException {
        String sql = jdbc.sql(LIST.formatted(table, FIRST));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<Segment> segments = new ArrayList<>();
            while (row.next()) {
                segment(row).ifPresent(segments::add);
            }
            segments.sort(Comparator.comparingLong(Segment::from));
            return segments;
        }
    }

    /** None for the default partition, and for what was dropped meanwhile: they have no bounds. */
    private static Optional<Segment> segment(ResultSet row) throws SQLException {
        String name = row.getString(1);
        if (row.getObject(2) != null) {
            return Optional.of(new Segment(
                    name,
                    row.getLong(2),
                    row.getLong(3),
                    true,
                    row.getBoolean(4),
                    row.getBoolean(5),
                    row.getBoolean(6)));
        }
        Matcher bounds = BOUNDS.matcher(Objects.requireNonNullElse(row.getString(7), ""));
        return bounds.find()
                ? Optional.of(new Segment(name, Long.parseLong(bounds.group(1)), Long.parseLong(bounds.group(2))))
                : Optional.empty();
    }

    /** The lowest position that may still have a row. */
    long first(Connection connection) throws SQLException {
        return first(list(connection));
    }

    static long first(List<Segment> segments) {
        return segments.stream()
                .filter(segment -> !segment.emptied())
                .mapToLong(Segment::from)
                .min()
                .orElse(1);
    }

    /** The next position that is drawn, at least. */
    long next(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        jdbc.sql("SELECT coalesce(pg_sequence_last_value('{" + sequence + "}'), 0)"))) {
            row.next();
            return row.getLong(1) + 1;
        }
    }

    // ---- making them ------------------------------------------------------------------------------------------------

    /** Makes what is missing, and moves the sequence on if it is time; answers how many segments it made. */
    int extend(Connection connection) throws SQLException {
        long next = next(connection);
        List<Segment> segments = list(connection);
        if (segments.stream().noneMatch(segment -> segment.contains(next))) {
            if (!overflow.becomesSegment(connection, endBelow(segments, next), startAbove(segments, next))) {
                return 0;
            }
            return 1 + extend(connection);
        }
        writeDown(connection, segments);
        int made = makeAhead(connection, segments, next);
        look(connection, next);
        if (refresh(connection, next)) {
            look(connection, next);
        }
        return isFull(segments, next) && rotate(connection, next) ? made + extend(connection) : made;
    }

    /** Those that were made by a node of an earlier version, or by hand. */
    private void writeDown(Connection connection, List<Segment> segments) throws SQLException {
        if (segments.stream().allMatch(Segment::written)) {
            return;
        }
        String sql = jdbc.sql("""
                INSERT INTO {segment} (log, first, next)
                SELECT ?, first, next FROM unnest(?::bigint[], ?::bigint[]) AS s (first, next) ON CONFLICT DO NOTHING
                """);
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, table);
            insert.setArray(
                    2,
                    connection.createArrayOf(
                            "bigint", segments.stream().map(Segment::from).toArray()));
            insert.setArray(
                    3,
                    connection.createArrayOf(
                            "bigint", segments.stream().map(Segment::to).toArray()));
            insert.executeUpdate();
        }
    }

    private int makeAhead(Connection connection, List<Segment> segments, long next) throws SQLException {
        if (segments.stream().anyMatch(segment -> segment.from() > next)) {
            return 0;
        }
        long end = segments.get(segments.size() - 1).to();
        long from = (end + WIDTH - 1) / WIDTH * WIDTH;
        return attach(connection, from, from + WIDTH) ? 1 : 0;
    }

    private static long endBelow(List<Segment> segments, long position) {
        return segments.stream()
                .mapToLong(Segment::to)
                .filter(to -> to <= position)
                .max()
                .orElse(1);
    }

    private static long startAbove(List<Segment> segments, long position) {
        return segments.stream()
                .mapToLong(Segment::from)
                .filter(from -> from > position)
                .min()
                .orElse(position + Overflow.FAR);
    }

    /** The table is made first, unattached and with its bounds as a constraint, so that attaching checks nothing. */
    private boolean attach(Connection connection, long from, long to) throws SQLException {
        String ddl = """
                CREATE TABLE {%1$s_%2$d} (
                    LIKE {%1$s} INCLUDING ALL,
                    CONSTRAINT bounds CHECK (position >= %2$d AND position < %3$d)
                );
                ALTER TABLE {%1$s} ATTACH PARTITION {%1$s_%2$d} FOR VALUES FROM (%2$d) TO (%3$d);
                ALTER TABLE {%1$s_%2$d} DROP CONSTRAINT bounds;
                %4$s;
                INSERT INTO {segment} (log, first, next) VALUES ('%1$s', %2$d, %3$d)
                """.formatted(table, from, to, Overflow.refusal(table, to));
        return Ddl.attempt(jdbc, connection, jdbc.sql(ddl));
    }

    /** Tells every session of the segments again, by a change that changes nothing; false if there was no need. */
    private boolean refresh(Connection connection, long next) throws SQLException {
        Optional<Long> first = unrefreshed(connection, next);
        return first.isPresent() && Ddl.attempt(jdbc, connection, jdbc.sql("""
                        ALTER TABLE ONLY {%1$s} ALTER COLUMN position SET STATISTICS -1;
                        UPDATE {segment} SET refreshed = true, unaware = NULL WHERE log = '%1$s' AND first = %2$d
                        """.formatted(table, first.get())));
    }

    private Optional<Long> unrefreshed(Connection connection, long next) throws SQLException {
        String sql = jdbc.sql("""
                SELECT min(first) FROM {segment}
                WHERE log = '%s' AND first > %d AND unaware = '{}' AND NOT refreshed AND NOT detached
                """.formatted(table, next));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return Optional.ofNullable(row.getObject(1, Long.class));
        }
    }

    // ---- who holds the table's lock ---------------------------------------------------------------------------------

    /**
     * Writes down which transactions each segment waits for, and which of them are still there.
     *
     * <p>The row of a new segment can be seen a moment before other sessions are told of the segment. The maker's lock
     * is checked first: once it is released, all sessions have been told.
     *
     * <p>A prepared transaction has another id after a restart of the server, {@code -1/xid}. Which one it had before
     * is not known, so each of them counts for every segment that still waits.
     *
     * @param next read before: a transaction that drew a lower position holds its lock by now, or has ended
     */
    private void look(Connection connection, long next) throws SQLException {
        String told = jdbc.sql("""
                SELECT coalesce(array_agg(first), '{}') FROM {segment} WHERE log = '%1$s' AND NOT EXISTS (
                    SELECT FROM pg_locks WHERE relation = '{%1$s}'::regclass AND mode = 'ShareUpdateExclusiveLock'
                      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
                """.formatted(table));
        String write = jdbc.sql("""
                WITH holder AS MATERIALIZED (
                    SELECT DISTINCT virtualtransaction AS id FROM pg_locks
                    WHERE locktype = 'relation' AND relation = '{%1$s}'::regclass AND granted
                      AND mode = 'RowExclusiveLock'
                      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                )
                UPDATE {segment} s
                SET unaware = ARRAY(SELECT id FROM holder WHERE s.unaware IS NULL OR id = ANY (s.unaware)
                        OR (s.unaware <> '{}' AND id LIKE '-1/%%')),
                    writers = CASE WHEN s.next <= %2$d
                        THEN ARRAY(SELECT id FROM holder WHERE s.writers IS NULL OR id = ANY (s.writers)
                            OR (s.writers <> '{}' AND id LIKE '-1/%%')) END
                WHERE s.log = '%1$s' AND NOT s.detached AND s.first = ANY (?)
                  AND (s.unaware IS DISTINCT FROM '{}' OR (s.next <= %2$d AND s.writers IS DISTINCT FROM '{}'))
                """.formatted(table, next));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(told);
                PreparedStatement update = connection.prepareStatement(write)) {
            row.next();
            update.setArray(1, row.getArray(1));
            update.executeUpdate();
        }
    }

    // ---- going on to the next ---------------------------------------------------------------------------------------

    private boolean isFull(List<Segment> segments, long next) {
        return segments.stream().anyMatch(segment -> segment.contains(next) && next - segment.from() >= size);
    }

    private boolean rotate(Connection connection, long next) throws SQLException {
        Optional<Segment> ahead = list(connection).stream()
                .filter(segment -> segment.from() > next)
                .findFirst();
        return ahead.isPresent() && ahead.get().known() && move(connection, ahead.get());
    }

    /**
     * By one node at a time, and never back. Appends go on meanwhile: each draws a position of either segment. The
     * positions between are a gap, in which the few that were drawn just now may be counted.
     */
    private boolean move(Connection connection, Segment ahead) throws SQLException {
        return Ddl.attempt(jdbc, connection, jdbc.sql("""
                DO $$
                DECLARE
                    drawn bigint;
                BEGIN
                    PERFORM FROM {segment} WHERE log = '%1$s' AND first = %3$d FOR UPDATE;
                    drawn := pg_sequence_last_value('{%2$s}');
                    IF drawn < %3$d - 1 THEN
                        PERFORM setval('{%2$s}', %3$d - 1);
                        INSERT INTO {gap} (log, after, before) VALUES ('%1$s', drawn, %3$d) ON CONFLICT DO NOTHING;
                    END IF;
                END $$
                """.formatted(table, sequence, ahead.from())));
    }

    // ---- letting them go --------------------------------------------------------------------------------------------

    /** Those of them to which nobody writes any more and that have rows, in their order. */
    static List<Segment> still(List<Segment> segments) {
        return segments.stream()
                .filter(segment -> segment.still() && !segment.emptied())
                .toList();
    }

    /**
     * Frees the space of some segments after other work in the same transaction; false if their locks were not to be
     * had, or another node was faster. The locks are those of the segments alone, and no append holds them.
     */
    boolean empty(Connection connection, List<Segment> segments, String before) throws SQLException {
        return Ddl.attempt(jdbc, connection, jdbc.sql("""
                LOCK TABLE %1$s IN ACCESS EXCLUSIVE MODE;
                DO $$ BEGIN
                    IF EXISTS (SELECT FROM {segment} WHERE log = '%3$s' AND first IN (%4$s) AND emptied) THEN
                        RAISE 'another node was faster' USING ERRCODE = 'lock_not_available';
                    END IF;
                END $$;
                %2$s;
                TRUNCATE %1$s;
                UPDATE {segment} SET emptied = true WHERE log = '%3$s' AND first IN (%4$s)
                """.formatted(names(segments), before, table, firsts(segments))));
    }

    /**
     * Drops those of them that are emptied, as many as it can. That takes the lock of the whole table, which open
     * appends hold; so it waits longer the more there are.
     */
    void drop(Connection connection, List<Segment> segments) throws SQLException {
        List<Segment> emptied = segments.stream().filter(Segment::emptied).toList();
        for (int from = 0; from < emptied.size(); from += AT_ONCE) {
            List<Segment> some = emptied.subList(from, Math.min(emptied.size(), from + AT_ONCE));
            if (!drop(connection, some, patience(emptied.size() - from))) {
                return;
            }
        }
    }

    private boolean drop(Connection connection, List<Segment> segments, Duration patience) throws SQLException {
        return Ddl.attempt(
                jdbc, connection, patience, jdbc.sql("""
                DROP TABLE IF EXISTS %s; DELETE FROM {segment} WHERE log = '%s' AND first IN (%s)
                """.formatted(names(segments), table, firsts(segments))));
    }

    private static String names(List<Segment> segments) {
        return segments.stream().map(segment -> "{" + segment.name() + "}").collect(Collectors.joining(", "));
    }

    private static String firsts(List<Segment> segments) {
        return segments.stream().map(segment -> "" + segment.from()).collect(Collectors.joining(", "));
    }

    /** Appends may have to wait as long, and for the drop itself: from 50 ms for a few segments to 400 ms for forty. */
    static Duration patience(int emptied) {
        return Duration.ofMillis(Math.min(400, Math.max(Ddl.PATIENCE.toMillis(), 10L * emptied)));
    }
}
