package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.postgres.Layout.Part;
import io.postrider.store.Cursor;
import io.postrider.store.StoreException;
import io.postrider.store.Watch;
import io.postrider.store.snapshot.FreshCommits;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Watch: the same algorithm as {@link PostgresRead}, for all lanes of a log at once and asking only whether there is
 * something, and of a few fresh events which. One statement per look, however many subscriptions a node has; an xid is
 * drawn only when there were news.
 */
final class PostgresWatch implements Watch {
    /** Stands for late commits where the position of a fresh one would be; positions begin above it. */
    private static final long LATE = 0;

    /**
     * The commits that the cursor had not seen, in the parts of the log that stand for {@code {fresh}} and
     * {@code {late}}: lane, position and xid of a few fresh ones in each lane and of one more, which says that there
     * are others; lane, {@link #LATE} and 0 where some are late. The late ones are found as in {@link PostgresRead}. An
     * ORDER BY or a count instead of EXISTS, which the planner may turn into a hash or a scan of the whole log.
     */
    static final String LOOK = """
            SELECT pg_current_snapshot()::text,
                   %s,
                   ARRAY(
                       SELECT ARRAY[l.lane, n.position, n.xid]
                       FROM generate_series(0, ? - 1) AS l (lane) CROSS JOIN LATERAL (
                           (SELECT position, xid::text::bigint AS xid FROM {fresh} p
                            WHERE lane = l.lane AND position > ? ORDER BY position LIMIT %d)
                           UNION ALL
                           SELECT %d, 0
                           WHERE (SELECT count(*) > 0
                                  FROM unnest(?::text[]::xid8[]) AS finished (xid) CROSS JOIN LATERAL (
                                      SELECT FROM {late} p
                                      WHERE lane = l.lane AND position > ? AND position + 0 <= ?
                                        AND xid = finished.xid
                                      OFFSET 0
                                  ) e
                                  WHERE pg_visible_in_snapshot(finished.xid, pg_current_snapshot()))
                              OR (SELECT count(*) > 0 FROM {late} p
                                  WHERE lane = l.lane AND position > ? AND position + 0 <= ?
                                    AND xid >= ?::xid8 AND xid < ?::xid8)
                       ) n
                   ),
                   ARRAY(SELECT DISTINCT subscription FROM {lane} WHERE owner IS NULL),
                   coalesce((SELECT token FROM {incarnation})::text, '')
            """.formatted(PostgresRead.HEAD, FreshCommits.FEW + 1, LATE);

    private final Jdbc jdbc;
    private final Layout layout;
    private final StableHorizon horizon;
    /** The text that was used last, and for which parts: as a rule it is used again. */
    private volatile Text text = new Text(List.of(), List.of(), "");

    private record Text(List<Part> fresh, List<Part> late, String sql) {}

    PostgresWatch(Jdbc jdbc, Layout layout, StableHorizon horizon) {
        this.jdbc = jdbc;
        this.layout = layout;
        this.horizon = horizon;
    }

    /**
     * Nothing is late in a segment to which nobody writes any more, nor below it: whoever drew a lower position had
     * ended before that was written down, and so before the snapshot. Without it the first look would go through all
     * segments there are.
     */
    @Override
    public SnapshotCursor now() {
        String sql = jdbc.sql("""
                SELECT pg_current_snapshot()::text, %s,
                    (SELECT coalesce(max(next) - 1, 0) FROM {segment} WHERE log = 'event_log' AND writers = '{}')
                """.formatted(PostgresRead.HEAD));
        return jdbc.autocommit(connection -> {
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                long head = row.getLong(2);
                long bound = drawXid(connection);
                return new SnapshotCursor(
                        head,
                        Snapshot.parse(row.getString(1)),
                        bound,
                        Math.min(head, row.getLong(3)),
                        new SnapshotCursor.Mark(bound, head),
                        null);
            }
        });
    }

    @Override
    public News watch(Cursor since) {
        SnapshotCursor cursor = SnapshotCursor.of(since);
        try {
            return look(cursor);
        } catch (StoreException e) {
            if (!ReadWalk.isUndefinedTable(e)) {
                throw e;
            }
            layout.refresh();
            return look(cursor);
        }
    }

    private News look(SnapshotCursor cursor) {
        return jdbc.autocommit(connection -> {
            horizon.look(connection);
            List<Part> fresh = fresh(connection, cursor);
            Seen seen = look(connection, cursor, fresh);
            long stable = horizon.position(seen.incarnation());
            if (seen.head() < cursor.position()) {
                throw new StoreException("the log's positions went back, PostgreSQL has recovered from a crash");
            }
            long reached = Math.min(seen.head(), Layout.end(fresh));
            boolean quiet = seen.commits().isEmpty() && reached == seen.head();
            return new News(
                    seen.lanes(), seen.unowned(), quiet ? cursor : next(connection, cursor, seen, reached, stable));
        });
    }

    private List<Part> fresh(Connection connection, SnapshotCursor cursor) throws SQLException {
        List<Part> fresh = layout.parts(cursor.position(), Long.MAX_VALUE);
        if (fresh.isEmpty()) {
            layout.refresh(connection);
            fresh = layout.parts(cursor.position(), Long.MAX_VALUE);
        }
        return Layout.named(fresh);
    }

    /** Late commits are looked for in a few segments at a time; the first look is the one that counts as seen. */
    private Seen look(Connection connection, SnapshotCursor cursor, List<Part> fresh) throws SQLException {
        long after = cursor.floor();
        List<Part> late = cursor.mayHaveLate() ? layout.parts(after, cursor.position()) : List.of();
        Seen seen = look(connection, cursor, after, fresh, Layout.named(late));
        while (late.size() > Layout.NAMED_MAX) {
            after = Layout.end(Layout.named(late));
            late = layout.parts(after, cursor.position());
            seen = seen.and(look(connection, cursor, after, List.of(), Layout.named(late))
                    .commits());
        }
        return seen;
    }

    private String text(List<Part> fresh, List<Part> late) {
        Text last = text;
        if (last.sql().isEmpty() || !last.fresh().equals(fresh) || !last.late().equals(late)) {
            String look = LOOK.replace("{fresh}", Layout.table(fresh)).replace("{late}", Layout.table(late));
            last = new Text(
                    fresh,
                    late,
                    jdbc.sql(SessionIsolation.BEGIN + "; SELECT " + Planning.ONCE + ";\n" + look + ";\nCOMMIT"));
            text = last;
        }
        return last.sql();
    }

    private SnapshotCursor next(Connection connection, SnapshotCursor cursor, Seen seen, long reached, long stable)
            throws SQLException {
        long bound = drawXid(connection);
        SnapshotCursor.Mark mark = cursor.mark();
        boolean raised = mark != null && seen.snapshot().xmin() >= mark.bound();
        long marked = raised && mark != null ? mark.position() : cursor.floor();
        return new SnapshotCursor(
                reached,
                seen.snapshot(),
                bound,
                Math.max(marked, Math.min(stable, reached)),
                mark == null || raised ? new SnapshotCursor.Mark(bound, reached) : mark,
                null);
    }

    /** One row of a look: an event of a transaction, or that there are {@link #LATE} ones. */
    private record Found(Lane lane, long position, long xid) {
        static Found of(Object row) {
            Long[] values = (Long[]) row;
            return new Found(new Lane(values[0].intValue()), values[1], values[2]);
        }
    }

    private record Seen(Snapshot snapshot, long head, List<Found> commits, Set<String> unowned, String incarnation) {
        Seen and(List<Found> others) {
            return new Seen(
                    snapshot,
                    head,
                    Stream.concat(commits.stream(), others.stream()).toList(),
                    unowned,
                    incarnation);
        }

        Map<Lane, Commits> lanes() {
            Map<Lane, Commits> lanes = new HashMap<>();
            commits.stream()
                    .collect(Collectors.groupingBy(Found::lane))
                    .forEach((lane, found) -> lanes.put(lane, ofLane(found)));
            return lanes;
        }

        private Commits ofLane(List<Found> found) {
            List<FreshCommits.Commit> fresh = found.stream()
                    .filter(commit -> commit.position() != LATE)
                    .map(commit -> new FreshCommits.Commit(commit.position(), commit.xid()))
                    .limit(FreshCommits.FEW)
                    .toList();
            return new FreshCommits(incarnation, fresh, fresh.size() == found.size());
        }
    }

    private Seen look(Connection connection, SnapshotCursor cursor, long after, List<Part> fresh, List<Part> late)
            throws SQLException {
        return RoundTrip.make(connection, text(fresh, late), trip -> {
            PreparedStatement select = trip.parameters();
            select.setInt(1, jdbc.lanes().count(connection));
            select.setLong(2, cursor.position());
            select.setString(3, PostgresRead.array(cursor.snapshot().inProgress()));
            select.setLong(4, after);
            select.setLong(5, cursor.position());
            select.setLong(6, after);
            select.setLong(7, cursor.position());
            select.setString(8, Long.toString(cursor.snapshot().xmax()));
            select.setString(9, Long.toString(cursor.bound()));
            trip.next();
            try (ResultSet row = trip.next()) {
                row.next();
                List<Found> commits = Stream.of((Object[]) row.getArray(3).getArray())
                        .map(Found::of)
                        .toList();
                List<String> unowned = Arrays.asList((String[]) row.getArray(4).getArray());
                return new Seen(
                        Snapshot.parse(row.getString(1)),
                        row.getLong(2),
                        commits,
                        Set.copyOf(unowned),
                        row.getString(5));
            }
        });
    }

    /** Drawn after the look, so whoever had drawn a position by then has a lower one. */
    static long drawXid(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_xact_id()::text")) {
            row.next();
            return Long.parseLong(row.getString(1));
        }
    }
}
