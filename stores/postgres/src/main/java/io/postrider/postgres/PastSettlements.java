package io.postrider.postgres;

import io.postrider.postgres.Segments.Segment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Settlements of the past. A segment of them that is closed is detached, so that looking for a lane's newest settlement
 * locks only a few tables however many there are; it stays a table of its own, which says when an event was settled and
 * has its seals, until it is dropped.
 *
 * <p>Settlements that are their lane's newest are copied forward by the transaction that detaches their segment. A
 * lane's newest settlement is the one with the highest number, not the latest row, so a copy that arrives after a newer
 * one does no harm.
 */
final class PastSettlements {
    private final Jdbc jdbc;
    private final Segments settlements;

    PastSettlements(Jdbc jdbc, Segments settlements) {
        this.jdbc = jdbc;
        this.settlements = settlements;
    }

    /** Answers how many segments were dropped. */
    int detachAndDrop(Connection connection, Duration retain) throws SQLException {
        for (Segment segment : Segments.still(settlements.list(connection))) {
            if (!detach(connection, segment)) {
                break;
            }
        }
        int dropped = 0;
        for (long first : detached(connection)) {
            if (!isOlder(connection, "settlement_" + first, retain) || !drop(connection, first)) {
                break;
            }
            dropped++;
        }
        return dropped;
    }

    /** Settles hold the lock no longer than a statement takes. */
    private boolean detach(Connection connection, Segment segment) throws SQLException {
        return Ddl.attempt(jdbc, connection, jdbc.sql("""
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
                ALTER TABLE {settlement} DETACH PARTITION {%1$s};
                UPDATE {segment} SET detached = true WHERE log = 'settlement' AND first = %2$d
                """.formatted(segment.name(), segment.from())));
    }

    private boolean drop(Connection connection, long first) throws SQLException {
        return Ddl.attempt(jdbc, connection, jdbc.sql("""
                DROP TABLE {settlement_%1$d};
                DELETE FROM {segment} WHERE log = 'settlement' AND first = %1$d
                """.formatted(first)));
    }

    private List<Long> detached(Connection connection) throws SQLException {
        String sql = jdbc.sql("SELECT first FROM {segment} WHERE log = 'settlement' AND detached ORDER BY first");
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<Long> firsts = new ArrayList<>();
            while (row.next()) {
                firsts.add(row.getLong(1));
            }
            return firsts;
        }
    }

    /** False too if another node has dropped the segment just now. */
    private boolean isOlder(Connection connection, String segment, Duration age) throws SQLException {
        String sql = jdbc.sql("""
                SELECT coalesce(max(s.settled_at), '-infinity') < now() - ? * interval '1 microsecond'
                FROM {lane} l CROSS JOIN LATERAL (
                    SELECT settled_at FROM {%s} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                    ORDER BY s.number DESC LIMIT 1
                ) s
                """.formatted(segment));
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, Parameters.inMicros(age));
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        } catch (SQLException e) {
            if (ServerError.isUndefinedTable(e)) {
                return false;
            }
            throw e;
        }
    }
}
