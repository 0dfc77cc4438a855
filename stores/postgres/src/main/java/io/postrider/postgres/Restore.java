package io.postrider.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that was restored into another cluster. Its rows carry transaction ids of the old one, which mean nothing here,
 * so its cursors are rebased: what they had not seen at or below their positions is parked, and they go on behind
 * those.
 */
final class Restore {
    private static final Logger LOG = LoggerFactory.getLogger(Restore.class);

    private final Jdbc jdbc;

    Restore(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** Only the first of several nodes that start at once rebases: the others wait for its row and find it done. */
    void rebaseIfRestored() {
        String changed = jdbc.sql("""
                UPDATE {cluster} SET system_identifier = now.system_identifier FROM pg_control_system() now
                WHERE {cluster}.system_identifier <> now.system_identifier
                """.replace("{cluster}.", "cluster."));
        jdbc.transaction(connection -> {
            try (var statement = connection.createStatement()) {
                boolean restored = statement.executeUpdate(changed) == 1;
                if (restored) {
                    rebase(connection);
                }
                return restored;
            }
        });
    }

    /** Whether a rebase is due, for a role that may only look. */
    boolean isRestored() {
        String sql = jdbc.sql("""
                SELECT c.system_identifier <> now.system_identifier FROM {cluster} c, pg_control_system() now
                """);
        return jdbc.autocommit(connection -> {
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                return row.next() && row.getBoolean(1);
            }
        });
    }

    private void rebase(Connection connection) throws SQLException {
        // In the text, so that PostgreSQL leaves out, and does not lock, the segments below it.
        long lowestFloor = Floors.lowest(jdbc, connection);
        String sql = jdbc.sql("""
                WITH newest AS (
                    SELECT s.* FROM {lane} l CROSS JOIN LATERAL (
                        SELECT * FROM {settlement} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                        ORDER BY s.number DESC LIMIT 1
                    ) s
                ), late AS (
                    INSERT INTO {delivery}
                        (subscription, lane, position, id, type, key, status, attempt, due_at, suspect)
                    SELECT n.subscription, n.lane, o.position, o.id, o.type, o.key, 'waiting', 0, now(), false
                    FROM newest n
                    JOIN {event_log} o ON o.lane = n.lane AND o.position > n.floor AND o.position <= n.reached
                      AND o.position > %d
                    WHERE NOT pg_visible_in_snapshot(o.xid, n.snapshot)
                      AND (n.late_from IS NULL OR o.position > n.late_from
                           OR NOT pg_visible_in_snapshot(o.xid, n.late_pinned))
                    RETURNING subscription, lane
                ), freed AS (
                    UPDATE {lane} SET owner = NULL, epoch = epoch + 1
                ), rebased AS (
                    INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                        delivered, skipped, parked, dead, expired, discarded)
                    SELECT n.subscription, n.lane, n.epoch, n.number + 1, n.reached, '1:1:', '1', n.reached,
                        n.delivered, n.skipped,
                        n.parked + (SELECT count(*) FROM late l
                                    WHERE l.subscription = n.subscription AND l.lane = n.lane),
                        n.dead, n.expired, n.discarded
                    FROM newest n
                    RETURNING 1
                )
                SELECT (SELECT count(*) FROM rebased), (SELECT count(*) FROM late)
                """.formatted(lowestFloor));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            LOG.warn(
                    "The log was restored into another cluster: {} cursors were rebased,"
                            + " {} events that had committed late were parked for delivery",
                    row.getLong(1),
                    row.getLong(2));
        }
    }
}
