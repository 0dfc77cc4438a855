package io.postrider.postgres;

import io.postrider.operate.Search;
import io.postrider.postgres.SearchSegments.Listed;
import io.postrider.postgres.SearchSegments.SearchSegment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the indexes that searches use, away from the appends: none is on the log itself, so that an append under load
 * pays for none. Each segment gets them once it is closed and nobody writes to it any more; the open one only while the
 * log is quiet, and loses them when it gets busy.
 *
 * <p>One node at a time does it, a few indexes per prune, each in a transaction of its own that waits no longer for its
 * lock than any other DDL here. What does not succeed is tried again with the next prune.
 */
final class SearchIndexes {
    /** Indexes are made for so long in one prune, and one of them at least. */
    static final Duration BUILD_WITHIN = Duration.ofSeconds(2);

    /** Segments whose statistics are asked for in one prune. */
    private static final int ASKED_MAX = 100;

    /** Raised by a step while another node is at it: object in use. */
    private static final String ELSEWHERE = "55006";

    private final Jdbc jdbc;
    private final SearchSegments segments;
    private final Quiet quiet;
    private final Set<String> refused = new HashSet<>();
    /** What this node has made and analyzed. */
    private final Set<String> done = new HashSet<>();

    private Seen before = new Seen(0, 0);
    /** Since when the log is quiet, in microseconds; 0 if it is not. */
    private long quietSince;

    /**
     * When the open segment has indexes.
     *
     * @param perSecond positions drawn per second, up to which a log is quiet
     * @param busyPerSecond positions drawn per second, from which it is busy
     * @param lasting how long it has to be quiet first
     * @param rowsMax rows of the open segment, beyond which a build would hold appends up for too long
     */
    record Quiet(long perSecond, long busyPerSecond, Duration lasting, long rowsMax) {
        static final Quiet DEFAULT = new Quiet(100, 1_000, Duration.ofMinutes(1), 50_000);
    }

    /** How far the log was at some time, on the database's clock in microseconds. */
    private record Seen(long head, long micros) {}

    SearchIndexes(Jdbc jdbc, Quiet quiet) {
        this.jdbc = jdbc;
        this.segments = new SearchSegments(jdbc);
        this.quiet = quiet;
    }

    /** Makes some of what is missing; answers how many indexes. */
    synchronized int build(Connection connection) throws SQLException {
        Listed listed = segments.list(connection);
        Pace pace = pace(connection, listed.head());
        noteAnalyzed(connection, listed.segments());
        long begin = System.nanoTime();
        int made = 0;
        for (SearchSegment segment : listed.segments()) {
            boolean closed = segment.to() <= listed.head() + 1;
            if (!closed && pace == Pace.BUSY) {
                drop(connection, segment);
            } else if (closed || (pace == Pace.QUIET && isWorthIt(segment, listed.head()))) {
                for (Step step : missing(segment)) {
                    Attempt attempt = step.attempt(connection);
                    made += attempt == Attempt.MADE ? 1 : 0;
                    if (attempt == Attempt.ELSEWHERE || System.nanoTime() - begin > BUILD_WITHIN.toNanos()) {
                        return made;
                    }
                }
            }
        }
        return made;
    }

    private enum Pace {
        QUIET,
        BETWEEN,
        BUSY
    }

    /** Where one call of a search looks at everything, an index would not help. The default partition is no segment. */
    private boolean isWorthIt(SearchSegment segment, long head) {
        long rows = head - segment.from() + 1;
        return segment.to() != Long.MAX_VALUE && rows > Search.EXAMINED_MAX && rows <= quiet.rowsMax();
    }

    private Pace pace(Connection connection, long head) throws SQLException {
        Seen now = new Seen(head, micros(connection));
        Seen last = before;
        before = now;
        if (last.micros() == 0 || now.micros() <= last.micros()) {
            return Pace.BETWEEN;
        }
        long drawn = now.head() - last.head() - skipped(connection, last.head(), now.head());
        double perSecond = drawn * 1e6 / (now.micros() - last.micros());
        if (perSecond > quiet.perSecond()) {
            quietSince = 0;
            return perSecond > quiet.busyPerSecond() ? Pace.BUSY : Pace.BETWEEN;
        }
        quietSince = quietSince == 0 ? last.micros() : quietSince;
        return now.micros() - quietSince >= Parameters.inMicros(quiet.lasting()) ? Pace.QUIET : Pace.BETWEEN;
    }

    /** Positions that nobody drew: between the last of a segment and the first of the next. */
    private long skipped(Connection connection, long after, long upTo) throws SQLException {
        String sql = jdbc.sql("""
                SELECT coalesce(sum(before - 1 - greatest(after, ?)), 0) FROM {gap}
                WHERE log = 'event_log' AND before > ? + 1 AND before <= ? + 1
                """);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, after);
            select.setLong(2, after);
            select.setLong(3, upTo);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static long micros(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT (date_part('epoch', clock_timestamp()) * 1000000)::bigint")) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * Notes segments whose indexes the planner knows. Only segments that have all indexes and were not noted before are
     * asked for: the view of statistics takes long to tell those of many tables.
     */
    private void noteAnalyzed(Connection connection, List<SearchSegment> segments) throws SQLException {
        done.retainAll(names(segments.stream()));
        Set<String> asked = names(segments.stream()
                .filter(segment -> segment.indexes().size() == SearchIndex.values().length)
                .filter(segment -> !done.contains(segment.name()))
                .limit(ASKED_MAX));
        if (asked.isEmpty()) {
            return;
        }
        String sql = "SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = ? AND tablename = ANY (?)";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, jdbc.schema());
            select.setArray(
                    2,
                    connection.createArrayOf(
                            "name", asked.stream().map(SearchIndex.USER::on).toArray()));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    String index = row.getString(1);
                    done.add(index.substring(
                            0, index.length() - SearchIndex.USER.on("").length()));
                }
            }
        }
    }

    private static Set<String> names(Stream<SearchSegment> segments) {
        return segments.map(SearchSegment::name).collect(Collectors.toSet());
    }

    // ---- steps ------------------------------------------------------------------------------------------------------

    private enum Attempt {
        MADE,
        PUT_OFF,
        /** Another node is at it, and whatever else is missing is its work too. */
        ELSEWHERE
    }

    /** One thing to do, in a transaction of its own. */
    private record Step(SearchIndexes all, String name, String sql) {
        Attempt attempt(Connection connection) throws SQLException {
            try {
                boolean done = Ddl.attempt(all.jdbc, connection, all.alone(sql));
                if (done) {
                    all.done.add(name);
                }
                return done ? Attempt.MADE : Attempt.PUT_OFF;
            } catch (SQLException e) {
                if (ELSEWHERE.equals(e.getSQLState())) {
                    return Attempt.ELSEWHERE;
                }
                // Data that an index cannot take: a search of this segment does without it.
                if (e.getSQLState() != null
                        && (e.getSQLState().startsWith("22") || e.getSQLState().equals("54000"))) {
                    all.refused.add(name);
                    return Attempt.PUT_OFF;
                }
                throw e;
            }
        }
    }

    private List<Step> missing(SearchSegment segment) {
        List<Step> steps = new ArrayList<>();
        for (SearchIndex index : SearchIndex.values()) {
            String name = index.on(segment.name());
            if (!segment.has(index) && !refused.contains(name)) {
                steps.add(new Step(
                        this,
                        name,
                        "CREATE INDEX IF NOT EXISTS %s ON {%s} (%s)".formatted(name, segment.name(), index.columns())));
            }
        }
        if (!steps.isEmpty() || !done.contains(segment.name())) {
            // Without it the planner knows nothing of expressions, and nobody else analyzes what does not change.
            steps.add(new Step(this, segment.name(), "ANALYZE {%s}".formatted(segment.name())));
        }
        return steps;
    }

    /**
     * By one node at a time, and by one process of the server: who else is at work there has need of the others. The
     * lock is one that neither appends nor reads nor prunes meet, and that no role takes which may only append or read.
     */
    private String alone(String sql) {
        return jdbc.sql("""
                SET LOCAL max_parallel_maintenance_workers = 0;
                DO $$ BEGIN
                    LOCK TABLE {segment} IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
                EXCEPTION WHEN lock_not_available THEN
                    RAISE object_in_use;
                END $$;
                """ + sql);
    }

    private void drop(Connection connection, SearchSegment segment) throws SQLException {
        if (!segment.indexes().isEmpty()) {
            String names = segment.indexes().stream()
                    .map(index -> "{" + index.on(segment.name()) + "}")
                    .collect(Collectors.joining(", "));
            new Step(this, segment.name() + " without", "DROP INDEX IF EXISTS " + names).attempt(connection);
        }
    }
}
