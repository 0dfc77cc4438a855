package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.store.Ownership;
import io.postrider.store.Renew;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Renew: one row per node, on the database's clock. */
final class PostgresRenew implements Renew {
    private final Jdbc jdbc;

    PostgresRenew(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Renewal renew(String node, Duration lease, Set<String> sharing, Map<String, String> filters) {
        boolean delivers = !Renew.known(sharing, filters).isEmpty();
        return jdbc.renewing().run(delivers, connection -> {
            Extended extended = extend(connection, node, lease, new Running(sharing, filters));
            return new Renewal(
                    extended.kept(),
                    held(connection, node),
                    shared(connection, Renew.known(sharing, filters)),
                    extended.asked(),
                    extended.at());
        });
    }

    private record Extended(boolean kept, Asked asked, Instant at) {}

    private record Running(Set<String> sharing, Map<String, String> filters) {}

    /** Whether the lease was kept is asked once the row is locked, as in {@link #extend(String, Duration)}. */
    private Extended extend(Connection connection, String node, Duration lease, Running running) throws SQLException {
        String sql = jdbc.sql("""
                WITH before AS MATERIALIZED (
                    SELECT lease_until, draining FROM {node} WHERE id = ? FOR NO KEY UPDATE
                ), written AS (
                    INSERT INTO {node} (id, lease_until, subscriptions, filters)
                    VALUES (?, clock_timestamp() + ? * interval '1 microsecond', ?, ?::jsonb)
                    ON CONFLICT (id) DO UPDATE
                    SET lease_until = excluded.lease_until, subscriptions = excluded.subscriptions,
                        filters = excluded.filters
                )
                SELECT coalesce((SELECT lease_until > clock_timestamp() FROM before), false),
                    coalesce((SELECT draining FROM before), false),
                    EXISTS (
                        SELECT FROM {operation} WHERE ended_at IS NULL
                          AND (lease_until IS NULL OR lease_until < clock_timestamp() OR owner = ?)),
                    clock_timestamp()
                """);
        try (PreparedStatement write = connection.prepareStatement(sql)) {
            write.setString(1, node);
            write.setString(2, node);
            write.setLong(3, Parameters.inMicros(lease));
            write.setArray(4, connection.createArrayOf("text", running.sharing().toArray()));
            write.setString(5, Rows.json(running.filters()));
            write.setString(6, node);
            try (ResultSet row = write.executeQuery()) {
                row.next();
                Instant at = Objects.requireNonNull(Rows.time(row, 4));
                return new Extended(row.getBoolean(1), new Asked(row.getBoolean(2), row.getBoolean(3)), at);
            }
        }
    }

    private List<HeldLane> held(Connection connection, String node) throws SQLException {
        String sql = jdbc.sql("""
                SELECT subscription, lane, epoch, requests, coalesce((SELECT token FROM {incarnation}), '')
                FROM {lane} WHERE owner = ?
                """);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, node);
            List<HeldLane> held = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    Ownership ownership =
                            new Ownership(row.getString(1), new Lane(row.getInt(2)), row.getLong(3), row.getString(5));
                    held.add(new HeldLane(ownership, row.getLong(4)));
                }
            }
            return held;
        }
    }

    private Map<String, Sharing> shared(Connection connection, Set<String> subscriptions) throws SQLException {
        String sql = jdbc.sql("""
                SELECT s.name, s.filter, (
                    SELECT count(*) FROM {node} n
                    WHERE n.lease_until > clock_timestamp() AND s.name = ANY (n.subscriptions)
                      AND coalesce(n.filters ->> s.name, s.filter) = s.filter), s.paused
                FROM {subscription} s WHERE s.name = ANY (?)
                """);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setArray(1, connection.createArrayOf("text", subscriptions.toArray()));
            Map<String, Sharing> shared = new HashMap<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    shared.put(
                            row.getString(1),
                            new Sharing(Math.max(1, row.getInt(3)), row.getString(2), row.getBoolean(4)));
                }
            }
            return shared;
        }
    }

    /**
     * The clock is read once the row is locked. A claim that took the lanes has only locked the row, and PostgreSQL
     * does not check a condition again on a row that did not change: one that was checked before the lock would still
     * count.
     */
    @Override
    public boolean extend(String node, Duration lease) {
        String sql = jdbc.sql("""
                WITH mine AS MATERIALIZED (
                    SELECT id, lease_until FROM {node} WHERE id = ? FOR NO KEY UPDATE
                )
                UPDATE {node} n SET lease_until = clock_timestamp() + ? * interval '1 microsecond'
                FROM mine m WHERE n.id = m.id AND m.lease_until > clock_timestamp()
                """);
        return jdbc.renewing().runIfKept(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setString(1, node);
                update.setLong(2, Parameters.inMicros(lease));
                return update.executeUpdate() == 1;
            }
        });
    }

    /** A filter that the node has counts as held until it leaves: the next version may be about to start. */
    @Override
    public void leave(String node) {
        String gone = jdbc.sql("""
                WITH gone AS (
                    DELETE FROM {node} WHERE id = ? RETURNING filters
                )
                UPDATE {subscription} s SET filter_at = clock_timestamp()
                FROM gone g WHERE g.filters ->> s.name = s.filter
                """);
        try {
            jdbc.renewing().runIfKept(connection -> {
                try (PreparedStatement free = connection.prepareStatement(
                                jdbc.sql("UPDATE {lane} SET owner = NULL, epoch = epoch + 1 WHERE owner = ?"));
                        PreparedStatement delete = connection.prepareStatement(gone)) {
                    free.setString(1, node);
                    free.executeUpdate();
                    delete.setString(1, node);
                    return delete.executeUpdate();
                }
            });
        } finally {
            jdbc.renewing().release();
        }
    }
}
