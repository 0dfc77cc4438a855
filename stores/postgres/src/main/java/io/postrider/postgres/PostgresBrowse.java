package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Browse: from cursors and settlements; only the exact ledger counts events, and only pending ones. */
final class PostgresBrowse implements Browse {
    /** Pending events of a lane that are counted one by one; beyond it, they are estimated from positions. */
    private static final int COUNTED_MAX = 1_000;

    /** The counts of a subscription: those of its lanes, and what was decided beside them. */
    private static final String COUNTS = """
            SELECT sum(s.delivered) + t.delivered, sum(s.skipped) + t.skipped, sum(s.parked) + t.parked,
                   sum(s.dead) + t.dead, sum(s.expired) + t.expired, sum(s.discarded) + t.discarded,
            """;

    private static final String TALLY = """
            CROSS JOIN (
                SELECT coalesce(sum(delivered), 0) AS delivered, coalesce(sum(skipped), 0) AS skipped,
                       coalesce(sum(parked), 0) AS parked, coalesce(sum(dead), 0) AS dead,
                       coalesce(sum(expired), 0) AS expired, coalesce(sum(discarded), 0) AS discarded
                FROM {tally} WHERE subscription = ?
            ) t
            WHERE l.subscription = ?
            GROUP BY t.delivered, t.skipped, t.parked, t.dead, t.expired, t.discarded
            """;

    private static final String NEWEST = """
            FROM {lane} l CROSS JOIN LATERAL (
                SELECT * FROM {settlement} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                ORDER BY s.number DESC LIMIT 1
            ) s
            """;

    /** Who holds the log's lock, as {@link StableHorizon} has it. What a role may not see of others is left out. */
    private static final String OPEN_APPENDS = """
            SELECT coalesce(p.gid, l.virtualtransaction),
                CASE WHEN p.gid IS NOT NULL THEN 'prepared by ' || p.owner
                    ELSE concat('pid ', l.pid, ' of ' || a.usename, ', ' || nullif(a.application_name, ''),
                        ', ' || a.client_addr, ', ' || a.state) END,
                coalesce(p.prepared, a.xact_start)
            FROM pg_locks l
            LEFT JOIN (pg_locks x JOIN pg_prepared_xacts p ON p.transaction = x.transactionid)
                ON l.pid IS NULL AND x.virtualtransaction = l.virtualtransaction AND x.locktype = 'transactionid'
            LEFT JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'relation' AND l.relation = '{event_log}'::regclass AND l.mode = 'RowExclusiveLock'
              AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            ORDER BY 3 NULLS LAST, 1 LIMIT ?
            """;

    /** Both times are the server's. A clock that was put back makes no age negative. */
    private static final String OPEN_APPEND_AGE = """
            SELECT greatest(0, extract(epoch FROM clock_timestamp() - o.since) * 1000)::bigint
            FROM (%s) AS o (transaction, holder, since) WHERE o.since IS NOT NULL
            """.formatted(OPEN_APPENDS);

    private final Jdbc jdbc;
    private final PostgresDeadEvents deadEvents;
    private final KnownSubscriptions known;

    PostgresBrowse(Jdbc jdbc) {
        this.known = new KnownSubscriptions(jdbc);
        this.jdbc = jdbc;
        this.deadEvents = new PostgresDeadEvents(jdbc);
    }

    @Override
    public List<String> subscriptions() {
        return new KnownSubscriptions(jdbc).list();
    }

    @Override
    public Ledger ledger(String subscription) {
        // In the text, so that PostgreSQL leaves out, and does not lock, the segments below it. Floors only rise.
        long floor = jdbc.autocommit(connection -> Floors.lowest(jdbc, connection, subscription));
        String above = "o.position > " + floor;
        String sql = jdbc.sql(COUNTS + "sum(p.pending)" + NEWEST + """
                CROSS JOIN LATERAL (
                    SELECT count(*) AS pending FROM {event_log} o
                    WHERE %s AND o.lane = l.lane AND (o.position > s.reached
                       OR (o.position > greatest(s.floor, s.late_from) AND o.position <= s.reached
                           AND NOT pg_visible_in_snapshot(o.xid, s.snapshot))
                       OR (o.position > s.floor AND o.position <= s.late_from
                           AND NOT pg_visible_in_snapshot(o.xid, s.late_pinned)))
                ) p
                """.formatted(above) + TALLY);
        Optional<Ledger> ledger = jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setString(1, subscription);
                select.setString(2, subscription);
                try (ResultSet row = select.executeQuery()) {
                    return row.next()
                            ? Optional.of(new Ledger(PostgresClaim.counts(row, 1), row.getLong(7)))
                            : Optional.empty();
                }
            }
        });
        return ledger.orElseGet(() -> {
            known.require(subscription);
            return new Ledger(Counts.NONE, 0);
        });
    }

    @Override
    public Progress progress(String subscription) {
        String sql = jdbc.sql(COUNTS + """
                       sum(CASE WHEN p.pending < ? THEN p.pending
                           ELSE greatest(p.pending, (h.last_value - s.reached - g.positions) / ?) END),
                       min(p.oldest)
                """ + NEWEST + """
                CROSS JOIN {event_position} h
                CROSS JOIN LATERAL (
                    SELECT coalesce(sum(before - greatest(after, s.reached)), 0) AS positions FROM {gap}
                    WHERE log = 'event_log' AND before > s.reached
                ) g
                CROSS JOIN LATERAL (
                    SELECT count(*) AS pending, min(o.appended_at) AS oldest
                    FROM {events_after}(l.lane, s.reached, ?) o
                ) p
                """ + TALLY);
        Optional<Progress> progress = jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setInt(1, COUNTED_MAX);
                select.setInt(2, jdbc.lanes().count(connection));
                select.setInt(3, COUNTED_MAX);
                select.setString(4, subscription);
                select.setString(5, subscription);
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        return Optional.empty();
                    }
                    Counts counts = PostgresClaim.counts(row, 1);
                    OffsetDateTime oldest = row.getObject(8, OffsetDateTime.class);
                    Instant since = oldest == null ? null : oldest.toInstant();
                    return Optional.of(new Progress(counts, row.getLong(7), since));
                }
            }
        });
        if (progress.isEmpty()) {
            known.require(subscription);
        }
        return progress.orElseGet(() -> new Progress(Counts.NONE, 0, null));
    }

    @Override
    public List<OpenAppend> openAppends(int limit) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(jdbc.sql(OPEN_APPENDS))) {
                select.setInt(1, limit);
                List<OpenAppend> open = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        OffsetDateTime since = row.getObject(3, OffsetDateTime.class);
                        open.add(new OpenAppend(
                                row.getString(1), row.getString(2), since == null ? null : since.toInstant()));
                    }
                }
                return open;
            }
        });
    }

    @Override
    public Optional<Duration> openAppendAge() {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(jdbc.sql(OPEN_APPEND_AGE))) {
                select.setInt(1, 1);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? Optional.of(Duration.ofMillis(row.getLong(1))) : Optional.empty();
                }
            }
        });
    }

    @Override
    public List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit) {
        String sql = jdbc.sql("SELECT " + Rows.DELIVERY
                + " FROM {delivery} d WHERE d.subscription = ? AND d.status = ? AND d.position > ?"
                + " ORDER BY d.position LIMIT ?");
        List<Delivery> inPlace = jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setString(1, subscription);
                select.setString(2, Rows.status(status));
                select.setLong(3, after.value());
                select.setInt(4, limit);
                List<Delivery> rows = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        rows.add(Rows.delivery(row, 1));
                    }
                }
                return rows;
            }
        });
        List<Delivery> rows = status == Delivery.Status.DEAD ? withMoved(inPlace, subscription, after, limit) : inPlace;
        if (rows.isEmpty()) {
            known.require(subscription);
        }
        return rows;
    }

    /** Looked for last, so that none is missed that moves meanwhile; it may be seen twice then. */
    private List<Delivery> withMoved(List<Delivery> inPlace, String subscription, Position after, int limit) {
        Map<Position, Delivery> rows = new TreeMap<>();
        deadEvents.pending(subscription, after, limit).forEach(row -> rows.put(row.position(), row));
        inPlace.forEach(row -> rows.put(row.position(), row));
        return rows.values().stream().limit(limit).toList();
    }
}
