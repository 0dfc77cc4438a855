package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.spi.Cursor;
import io.postrider.spi.Snapshot;
import io.postrider.spi.StoreException;
import io.postrider.spi.Watch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Watch: the same algorithm as {@link PostgresRead}, for all lanes of a log at once and asking only whether there is
 * something. One statement per look, however many subscriptions a node has; an xid is drawn only when there were news.
 */
final class PostgresWatch implements Watch {
    /**
     * Which lanes have had commits that the cursor had not seen. The late ones are found as in {@link PostgresRead}. An
     * ORDER BY or a count instead of EXISTS, which the planner may turn into a hash or a scan of the whole log.
     */
    static final String LOOK = """
            SELECT pg_current_snapshot()::text,
                   %s,
                   ARRAY(
                       SELECT l.lane FROM generate_series(0, ? - 1) AS l (lane)
                       WHERE (SELECT true FROM {outbox_log}
                              WHERE lane = l.lane AND position > ? ORDER BY position LIMIT 1)
                          OR (SELECT count(*) > 0
                              FROM unnest(?::text[]::xid8[]) AS finished (xid) CROSS JOIN LATERAL (
                                  SELECT FROM {outbox_log}
                                  WHERE lane = l.lane AND position > ? AND position + 0 <= ? AND xid = finished.xid
                                  OFFSET 0
                              ) e
                              WHERE pg_visible_in_snapshot(finished.xid, pg_current_snapshot()))
                          OR (SELECT count(*) > 0 FROM {outbox_log}
                              WHERE lane = l.lane AND position > ? AND position + 0 <= ?
                                AND xid >= ?::xid8 AND xid < ?::xid8)
                   ),
                   ARRAY(SELECT DISTINCT subscription FROM {lane} WHERE owner IS NULL)
            """.formatted(PostgresRead.HEAD);

    private final Jdbc jdbc;
    private final String look;

    PostgresWatch(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.look = jdbc.sql("BEGIN; SELECT " + Planning.ONCE + ";\n" + LOOK + ";\nCOMMIT");
    }

    @Override
    public Cursor now() {
        return jdbc.autocommit(connection -> {
            Seen seen = look(connection, Cursor.after(0));
            return Cursor.notIn(seen.snapshot(), seen.head(), drawXid(connection));
        });
    }

    @Override
    public News watch(Cursor cursor) {
        return jdbc.autocommit(connection -> {
            Seen seen = look(connection, cursor);
            if (seen.head() < cursor.position()) {
                throw new StoreException("the log's positions went back, PostgreSQL has recovered from a crash");
            }
            boolean quiet = seen.lanes().isEmpty();
            return new News(seen.lanes(), seen.unowned(), quiet ? cursor : next(connection, cursor, seen));
        });
    }

    private Cursor next(Connection connection, Cursor cursor, Seen seen) throws SQLException {
        long bound = drawXid(connection);
        Cursor.Mark mark = cursor.mark();
        boolean raised = mark != null && seen.snapshot().xmin() >= mark.bound();
        return new Cursor(
                seen.head(),
                seen.snapshot(),
                bound,
                raised && mark != null ? mark.position() : cursor.floor(),
                mark == null || raised ? new Cursor.Mark(bound, seen.head()) : mark,
                null);
    }

    private record Seen(Snapshot snapshot, long head, Set<Lane> lanes, Set<String> unowned) {}

    private Seen look(Connection connection, Cursor cursor) throws SQLException {
        return RoundTrip.make(connection, look, trip -> {
            PreparedStatement select = trip.parameters();
            select.setInt(1, Lane.COUNT);
            select.setLong(2, cursor.position());
            select.setString(3, PostgresRead.array(cursor.snapshot().inProgress()));
            select.setLong(4, cursor.floor());
            select.setLong(5, cursor.position());
            select.setLong(6, cursor.floor());
            select.setLong(7, cursor.position());
            select.setString(8, Long.toString(cursor.snapshot().xmax()));
            select.setString(9, Long.toString(cursor.bound()));
            trip.next();
            try (ResultSet row = trip.next()) {
                row.next();
                Set<Lane> lanes = new HashSet<>();
                for (Object lane : (Object[]) row.getArray(3).getArray()) {
                    lanes.add(new Lane(((Number) lane).intValue()));
                }
                List<String> unowned = Arrays.asList((String[]) row.getArray(4).getArray());
                return new Seen(Snapshot.parse(row.getString(1)), row.getLong(2), lanes, Set.copyOf(unowned));
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
