package io.postrider.postgres;

import io.postrider.spi.Prune;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Prune: whole segments, below every subscription's floor and older than what is to be kept.
 *
 * <p>What is still needed of a segment is saved in the transaction that drops it: events that delivery rows refer to
 * are copied into those rows, and settlements that are their lane's newest are copied forward. A lane's newest
 * settlement is the one with the highest number, not the latest row, so a copy that arrives after a newer one does no
 * harm.
 */
final class PostgresPrune implements Prune {
    static final String UNDEFINED_TABLE = "42P01";
    /** Attempts that one statement deletes at most, and how many such statements one prune sends at most. */
    private static final int FORGOTTEN_MAX = 10_000;

    private static final int FORGOTTEN_ROUNDS = 10;

    private final Jdbc jdbc;
    private final Segments log;
    private final Segments settlements;
    private final SearchIndexes indexes;

    PostgresPrune(Jdbc jdbc, long segmentSize) {
        this.jdbc = jdbc;
        this.log = new Segments(jdbc, "outbox_log", "outbox_position", segmentSize);
        this.settlements = new Segments(jdbc, "settlement", "settlement_position", segmentSize);
        this.indexes = new SearchIndexes(jdbc, SearchIndexes.Quiet.DEFAULT);
    }

    @Override
    public Pruned prune(Duration retain) {
        return jdbc.autocommit(connection -> {
            int created = log.extend(connection) + settlements.extend(connection);
            int dropped = dropLog(connection, retain) + dropSettlements(connection, retain);
            forgetDeadNodes(connection);
            addUpTallies(connection);
            long first = firstPosition(connection);
            forgetAttempts(connection, first);
            forgetPastFilters(connection, first);
            created += indexes.build(connection);
            return new Pruned(created, dropped);
        });
    }

    // ---- the log ----------------------------------------------------------------------------------------------------

    private int dropLog(Connection connection, Duration retain) throws SQLException {
        long floor = floor(connection);
        int dropped = 0;
        for (Segments.Segment segment : log.list(connection)) {
            if (segment.to() - 1 > floor || !olderThan(connection, newestEvent(segment), retain)) {
                break;
            }
            if (!log.drop(connection, segment, jdbc.sql(copy(segment)) + ";")) {
                break;
            }
            dropped++;
        }
        return dropped;
    }

    /** Lane by lane, so that rows of other segments, which may be many dead ones, are not looked at. */
    static String copy(Segments.Segment segment) {
        return """
                UPDATE {delivery} d
                SET payload = o.payload, headers = o.headers, tenant = o.tenant, appended_at = o.appended_at
                FROM {lane} l CROSS JOIN LATERAL (
                    SELECT r.subscription, r.lane, r.position FROM {delivery} r
                    WHERE r.subscription = l.subscription AND r.lane = l.lane
                      AND r.position >= %2$d AND r.position < %3$d AND r.payload IS NULL
                    OFFSET 0
                ) r CROSS JOIN LATERAL (
                    SELECT e.payload, e.headers, e.tenant, e.appended_at FROM {%1$s} e
                    WHERE e.lane = r.lane AND e.position = r.position
                    OFFSET 0
                ) o
                WHERE d.subscription = r.subscription AND d.lane = r.lane AND d.position = r.position
                """.formatted(segment.name(), segment.from(), segment.to());
    }

    /** No subscription will read at or below it; without a subscription, nothing is ever done with. */
    private long floor(Connection connection) throws SQLException {
        String sql = jdbc.sql("""
                SELECT min(s.floor) FROM {lane} l CROSS JOIN LATERAL (
                    SELECT floor FROM {settlement} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                    ORDER BY s.number DESC LIMIT 1
                ) s
                """);
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private String newestEvent(Segments.Segment segment) {
        return jdbc.sql("""
                SELECT coalesce(max(o.appended_at), '-infinity') < now() - ? * interval '1 microsecond'
                FROM generate_series(0, 15) AS l (lane) CROSS JOIN LATERAL (
                    SELECT appended_at FROM {%s} WHERE lane = l.lane ORDER BY position DESC LIMIT 1
                ) o
                """.formatted(segment.name()));
    }

    // ---- settlements ------------------------------------------------------------------------------------------------

    private int dropSettlements(Connection connection, Duration retain) throws SQLException {
        List<Segments.Segment> segments = settlements.list(connection);
        long head = headOfSettlements(connection);
        int dropped = 0;
        for (Segments.Segment segment : segments) {
            if (segment.to() > head || !olderThan(connection, newestSettlement(segment), retain)) {
                break;
            }
            // Locked first: a settle that is under way would otherwise commit behind the copy, and be dropped.
            String forward = jdbc.sql("""
                    LOCK TABLE ONLY {settlement} IN ACCESS EXCLUSIVE MODE;
                    INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                        mark_bound, mark_position, late_from, late_pinned,
                        delivered, skipped, parked, dead, expired, discarded, settled_at, seals)
                    SELECT old.subscription, old.lane, old.epoch, number, reached, snapshot, bound, floor,
                        mark_bound, mark_position, late_from, late_pinned,
                        delivered, skipped, parked, dead, expired, discarded, settled_at, seals
                    FROM {lane} l CROSS JOIN LATERAL (
                        SELECT * FROM {%1$s} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                        ORDER BY s.number DESC LIMIT 1
                    ) old
                    WHERE NOT EXISTS (
                        SELECT 1 FROM {settlement} s
                        WHERE s.subscription = old.subscription AND s.lane = old.lane AND s.number > old.number);
                    """.formatted(segment.name()));
            if (!settlements.drop(connection, segment, forward)) {
                break;
            }
            dropped++;
        }
        return dropped;
    }

    private String newestSettlement(Segments.Segment segment) {
        return jdbc.sql("""
                SELECT coalesce(max(s.settled_at), '-infinity') < now() - ? * interval '1 microsecond'
                FROM {lane} l CROSS JOIN LATERAL (
                    SELECT settled_at FROM {%s} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                    ORDER BY s.number DESC LIMIT 1
                ) s
                """.formatted(segment.name()));
    }

    private long headOfSettlements(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        jdbc.sql("SELECT coalesce(pg_sequence_last_value('{settlement_position}'), 0)"))) {
            row.next();
            return row.getLong(1);
        }
    }

    // ---- both -------------------------------------------------------------------------------------------------------

    /** False too if another node has dropped the segment just now. */
    private static boolean olderThan(Connection connection, String sql, Duration retain) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, retain.toNanos() / 1_000);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        } catch (SQLException e) {
            if (UNDEFINED_TABLE.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** One row for many: each of them is in exactly one sum, whoever else does the same. */
    private void addUpTallies(Connection connection) throws SQLException {
        String sql = jdbc.sql("""
                WITH many AS (
                    SELECT subscription FROM {tally} GROUP BY subscription HAVING count(*) > 100
                ), gone AS (
                    DELETE FROM {tally} t USING many m WHERE t.subscription = m.subscription RETURNING t.*
                )
                INSERT INTO {tally} (subscription, delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, sum(delivered), sum(skipped), sum(parked), sum(dead), sum(expired), sum(discarded)
                FROM gone GROUP BY subscription
                """);
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /** The lowest that the log may still have. */
    private long firstPosition(Connection connection) throws SQLException {
        return log.list(connection).stream()
                .mapToLong(Segments.Segment::from)
                .min()
                .orElse(0);
    }

    /** A filter that was in force for no event of the log any more. */
    private void forgetPastFilters(Connection connection, long first) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(jdbc.sql("DELETE FROM {past_filter} WHERE reached < " + first));
        }
    }

    /** What was tried of an event goes with its segment, by and by. */
    private void forgetAttempts(Connection connection, long first) throws SQLException {
        String sql = jdbc.sql("""
                DELETE FROM {attempt} WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM {attempt} WHERE position < %d ORDER BY position LIMIT %d))
                """.formatted(first, FORGOTTEN_MAX));
        try (var statement = connection.createStatement()) {
            int rounds = 0;
            while (statement.executeUpdate(sql) == FORGOTTEN_MAX && ++rounds < FORGOTTEN_ROUNDS) {}
        }
    }

    private void forgetDeadNodes(Connection connection) throws SQLException {
        String sql = jdbc.sql("""
                DELETE FROM {node} n WHERE n.lease_until < now() - interval '1 hour'
                  AND NOT EXISTS (SELECT 1 FROM {lane} l WHERE l.owner = n.id)
                """);
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
