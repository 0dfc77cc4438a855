package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.operate.Counts;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Claim: lanes by compare-and-set on their epochs, then what is behind their cursors, then delivery rows one by one.
 */
final class PostgresClaim implements Claim {
    /** A lane's newest settlement is its cursor. */
    static final String NEWEST = """
            SELECT l.lane, s.number, s.reached, s.snapshot::text, s.bound::text, s.floor,
                   s.mark_bound::text, s.mark_position, s.late_from, s.late_pinned::text,
                   s.delivered, s.skipped, s.parked, s.dead, s.expired, s.discarded
            FROM unnest(?::smallint[]) AS l (lane)
            CROSS JOIN LATERAL (
                SELECT * FROM {settlement} WHERE subscription = ? AND lane = l.lane ORDER BY number DESC LIMIT 1
            ) s
            """;

    /**
     * Of the rows of a query {@code d} the events that the log has, as {@code e}. Every event has a row, so the FULL
     * join answers what a LEFT one would; but PostgreSQL never makes a nested loop of it, which for a thousand rows
     * would go through a thousand events a thousand times.
     */
    private static final String EVENTS_OF_ROWS = """
            FULL JOIN {events_at}(
                (SELECT array_agg(lane ORDER BY position) FILTER (WHERE payload IS NULL) FROM d),
                (SELECT array_agg(position ORDER BY position) FILTER (WHERE payload IS NULL) FROM d)
            ) e ON e.lane = d.lane AND e.position = d.position
            """;

    /**
     * The event of each row of a query {@code d}, as {@code o}: from the log, or from the row once the log has dropped
     * it.
     */
    static final String EVENT_OF_ROW = EVENTS_OF_ROWS + """
            CROSS JOIN LATERAL (
                SELECT e.position, e.lane, e.id, e.type, e.key, e.payload, e.headers, e.tenant, e.appended_at,
                       e.deliver_at, e.expires_at, e.priority
                WHERE e.position IS NOT NULL
                UNION ALL
                SELECT d.position, d.lane, d.id, d.type, d.key, d.payload, d.headers, d.tenant, d.appended_at,
                       NULL, d.expires_at, d.priority
                WHERE d.payload IS NOT NULL
            ) o
            """;

    /** The same, with nothing in place of an event that is gone: a row that was claimed must be answered. */
    static final String EVENT_IF_ANY = EVENT_OF_ROW.replace("CROSS JOIN", "LEFT JOIN") + " ON true";

    private final Jdbc jdbc;
    private final PostgresRead read;
    private final PostgresPark park;

    PostgresClaim(Jdbc jdbc, PostgresRead read) {
        this.jdbc = jdbc;
        this.read = read;
        this.park = new PostgresPark(jdbc);
    }

    @Override
    public Page read(Ownership ownership, Cursor cursor, int maxEvents, long maxBytes) {
        return read.read(ownership, SnapshotCursor.of(cursor), maxEvents, maxBytes);
    }

    @Override
    public List<ClaimedLane> claim(Claimant claimant, List<Lane> held, int most) {
        return jdbc.autocommit(connection -> {
            ensureIncarnation(connection);
            List<Taken> taken = take(connection, claimant, held, most);
            if (taken.isEmpty()) {
                return List.of();
            }
            Map<Lane, Newest> newest = newest(connection, claimant.subscription(), taken);
            Map<Lane, Park.Window> windows = park.windows(
                    connection, taken.stream().map(Taken::ownership).toList(), claimant.view());
            List<ClaimedLane> claimed = new ArrayList<>();
            for (Taken lane : taken) {
                Newest last = Objects.requireNonNull(newest.get(lane.ownership().lane()));
                Park.Window window =
                        Objects.requireNonNull(windows.get(lane.ownership().lane()));
                claimed.add(new ClaimedLane(
                        lane.ownership(),
                        lane.takeovers(),
                        last.cursor(),
                        last.number(),
                        last.counts(),
                        window,
                        lane.takenFrom(),
                        lane.recordedUntil()));
            }
            return claimed;
        });
    }

    private record Taken(
            Ownership ownership,
            int takeovers,
            @Nullable String takenFrom,
            @Nullable Instant recordedUntil) {}

    private record Newest(SnapshotCursor cursor, long number, Counts counts) {}

    private void ensureIncarnation(Connection connection) throws SQLException {
        String sql = jdbc.sql("INSERT INTO {incarnation} DEFAULT VALUES ON CONFLICT DO NOTHING");
        String found = jdbc.sql("SELECT 1 FROM {incarnation}");
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(found)) {
            if (row.next()) {
                return;
            }
        }
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /**
     * The candidates come from the statement's snapshot. Another node may claim one between that and our update; then
     * the row's epoch is no longer the one we saw, PostgreSQL checks the condition again on the new version, and it
     * fails. A late owner may renew between as well, and be told that it holds the lane still: so its row is locked,
     * and one that is being renewed counts as alive.
     */
    private List<Taken> take(Connection connection, Claimant claimant, List<Lane> held, int most) throws SQLException {
        String node = claimant.node();
        String subscription = claimant.subscription();
        String sql = jdbc.sql("""
                WITH gone AS (
                    SELECT n.id FROM {node} n
                    WHERE n.lease_until <= clock_timestamp()
                      AND n.id IN (SELECT owner FROM {lane} WHERE subscription = ?)
                    FOR SHARE OF n SKIP LOCKED
                ), candidate AS (
                    SELECT l.lane, l.epoch, l.owner,
                           s.form_at + %s AS recorded_until
                    FROM {lane} l JOIN {subscription} s ON s.name = l.subscription
                    WHERE l.subscription = ? AND s.filter = ? AND l.lane <> ALL (?::smallint[])
                      AND (l.owner IS NULL OR l.owner = ? OR l.owner IN (SELECT id FROM gone)
                          OR NOT EXISTS (SELECT FROM {node} n WHERE n.id = l.owner))
                    ORDER BY l.owner IS NOT DISTINCT FROM ? DESC, l.lane
                    LIMIT ?
                )
                UPDATE {lane} l
                SET owner = ?, epoch = l.epoch + 1,
                    takeovers = l.takeovers + CASE WHEN c.owner IS NULL OR c.owner = ? THEN 0 ELSE 1 END
                FROM candidate c
                WHERE l.subscription = ? AND l.lane = c.lane AND l.epoch = c.epoch
                RETURNING l.lane, l.epoch, l.takeovers, (SELECT token FROM {incarnation}), c.owner, c.recorded_until
                """.formatted(BucketRing.interval(ClaimedLane.RECORDED_BEYOND)));
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, subscription);
            update.setString(2, subscription);
            update.setString(3, claimant.filter());
            update.setArray(4, connection.createArrayOf("smallint", numbers(held)));
            update.setString(5, node);
            update.setString(6, node);
            update.setInt(7, most);
            update.setString(8, node);
            update.setString(9, node);
            update.setString(10, subscription);
            List<Taken> taken = new ArrayList<>();
            try (ResultSet row = update.executeQuery()) {
                while (row.next()) {
                    Lane lane = new Lane(row.getInt(1));
                    String incarnation = Objects.requireNonNullElse(row.getString(4), "");
                    taken.add(new Taken(
                            new Ownership(subscription, lane, row.getLong(2), incarnation),
                            row.getInt(3),
                            row.getString(5),
                            Rows.time(row, 6)));
                }
            }
            return taken;
        }
    }

    private Map<Lane, Newest> newest(Connection connection, String subscription, List<Taken> taken)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(NEWEST))) {
            select.setArray(1, connection.createArrayOf("smallint", lanes(taken)));
            select.setString(2, subscription);
            Map<Lane, Newest> newest = new HashMap<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    newest.put(new Lane(row.getInt(1)), new Newest(cursor(row), row.getLong(2), counts(row, 11)));
                }
            }
            return newest;
        }
    }

    private static SnapshotCursor cursor(ResultSet row) throws SQLException {
        String markBound = row.getString(7);
        String pinned = row.getString(10);
        return new SnapshotCursor(
                row.getLong(3),
                Snapshot.parse(row.getString(4)),
                Long.parseLong(row.getString(5)),
                row.getLong(6),
                markBound == null ? null : new SnapshotCursor.Mark(Long.parseLong(markBound), row.getLong(8)),
                pinned == null ? null : new SnapshotCursor.Late(row.getLong(9), Snapshot.parse(pinned)));
    }

    static Counts counts(ResultSet row, int first) throws SQLException {
        return new Counts(
                row.getLong(first),
                row.getLong(first + 1),
                row.getLong(first + 2),
                row.getLong(first + 3),
                row.getLong(first + 4),
                row.getLong(first + 5));
    }

    @Override
    public int release(List<Ownership> ownerships) {
        String sql = jdbc.sql("""
                UPDATE {lane} SET owner = NULL, epoch = epoch + 1 WHERE subscription = ? AND lane = ? AND epoch = ?
                """);
        return jdbc.autocommit(connection -> {
            int released = 0;
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                for (Ownership ownership : ownerships) {
                    update.setString(1, ownership.subscription());
                    update.setInt(2, ownership.lane().number());
                    update.setLong(3, ownership.epoch());
                    released += update.executeUpdate();
                }
                return released;
            }
        });
    }

    @Override
    public List<ClaimedDelivery> claim(Ownership ownership, List<Position> positions) {
        String sql =
                jdbc.sql("""
                WITH fence AS (
                    SELECT 1 FROM {lane} WHERE subscription = ? AND lane = ? AND epoch = ? FOR SHARE
                ), d AS (
                    UPDATE {delivery} d SET status = 'running', attempt = d.attempt + 1, behind = false,
                        changed_at = now()
                    FROM fence
                    WHERE d.subscription = ? AND d.lane = ? AND d.position = ANY (?::bigint[])
                      AND d.status IN ('waiting', 'running')
                    RETURNING d.*
                )
                SELECT\s""" + Rows.DELIVERY + ", " + Rows.EVENT + " FROM d " + EVENT_IF_ANY + " ORDER BY d.position");
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setString(1, ownership.subscription());
                update.setInt(2, ownership.lane().number());
                update.setLong(3, ownership.epoch());
                update.setString(4, ownership.subscription());
                update.setInt(5, ownership.lane().number());
                update.setArray(6, connection.createArrayOf("bigint", values(positions)));
                List<ClaimedDelivery> claimed = new ArrayList<>();
                try (ResultSet row = update.executeQuery()) {
                    while (row.next()) {
                        claimed.add(Rows.claimed(row, ownership.lane()));
                    }
                }
                return claimed;
            }
        });
    }

    private static Integer[] numbers(List<Lane> lanes) {
        return lanes.stream().map(Lane::number).toArray(Integer[]::new);
    }

    private static Integer[] lanes(List<Taken> taken) {
        return taken.stream().map(one -> one.ownership().lane().number()).toArray(Integer[]::new);
    }

    static Long[] values(List<Position> positions) {
        return positions.stream().map(Position::value).toArray(Long[]::new);
    }
}
