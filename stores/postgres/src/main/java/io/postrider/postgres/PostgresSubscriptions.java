package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.policy.Start;
import io.postrider.store.StoreException;
import io.postrider.store.Subscriptions;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.text.Printable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The named readers: a row each that says where they began, a row per lane, and a first settlement. */
final class PostgresSubscriptions implements Subscriptions {
    private static final String NO_RIGHT = "42501";

    private final Jdbc jdbc;
    private final PostgresWatch watch;
    private final Layout layout;

    PostgresSubscriptions(Jdbc jdbc, PostgresWatch watch, Layout layout) {
        this.jdbc = jdbc;
        this.layout = layout;
        this.watch = watch;
    }

    /** Found or created: where others remove and register it at the same time, what was found may be gone by then. */
    @Override
    public Registered register(String subscription, Start start, String filter, String node) {
        Printable.requireName("a subscription", subscription);
        try {
            return findOrCreate(subscription, start, filter, node);
        } catch (StoreException e) {
            throw Jdbc.state(e).equals(NO_RIGHT) ? withoutRight(subscription, e) : jdbc.advised(e);
        }
    }

    private StoreException withoutRight(String subscription, StoreException e) {
        return new StoreException(
                e.getMessage() + ". Subscription '" + subscription + "' is delivered by a role that runs nodes: the"
                        + " owner of the schema makes this role one by SELECT " + jdbc.schema()
                        + ".grant_engine('role')",
                e);
    }

    private Registered findOrCreate(String subscription, Start start, String filter, String node) {
        while (true) {
            Changed changed = change(subscription, filter, node, null);
            if (changed.known()) {
                return new Registered(false, 0, changed.was(), changed.others());
            }
            SnapshotCursor cursor = cursor(start);
            if (create(subscription, filter, cursor)) {
                return new Registered(true, ahead(cursor), null, List.of());
            }
        }
    }

    @Override
    public Optional<String> takeBack(String subscription, String filter, Duration unheld, String node) {
        return Optional.ofNullable(change(subscription, filter, node, unheld).was());
    }

    /** A filter's change: whether there was the subscription, and the filter it had, if that was another one. */
    private record Changed(boolean known, @Nullable String was, List<String> others) {}

    private Changed change(String subscription, String filter, String node, @Nullable Duration unheld) {
        String sql = jdbc.sql("""
                SELECT coalesce(known, false), was, coalesce(others, '{}')
                FROM {change_filter}(?, ?, ?, ? * interval '1 microsecond')
                """);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement change = connection.prepareStatement(sql)) {
                change.setString(1, subscription);
                change.setString(2, filter);
                change.setString(3, node);
                change.setObject(4, unheld == null ? null : Parameters.inMicros(unheld), Types.BIGINT);
                try (ResultSet row = change.executeQuery()) {
                    row.next();
                    return new Changed(row.getBoolean(1), row.getString(2), Targets.texts(row, 3));
                }
            }
        });
    }

    /** With its lanes, or not at all: false if there is one by now. */
    private boolean create(String subscription, String filter, SnapshotCursor cursor) {
        String sql = jdbc.sql("""
                INSERT INTO {subscription} (name, filter, began, began_snapshot, began_floor)
                VALUES (?, ?, ?, ?::pg_snapshot, ?) ON CONFLICT DO NOTHING
                """);
        return jdbc.transaction(connection -> {
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                insert.setString(1, subscription);
                insert.setString(2, filter);
                insert.setLong(3, cursor.position());
                insert.setString(4, cursor.snapshot().toString());
                insert.setLong(5, cursor.floor());
                boolean isNew = insert.executeUpdate() == 1;
                if (isNew) {
                    begin(connection, subscription, cursor);
                }
                return isNew;
            }
        });
    }

    /** From positions: those that were drawn and never committed count as well. */
    private long ahead(SnapshotCursor cursor) {
        String sql = jdbc.sql("""
                SELECT greatest(0, %1$s - first.after - g.positions)
                FROM (
                    SELECT greatest(coalesce(min(first) - 1, %1$s), ?) AS after
                    FROM {segment} WHERE log = 'event_log' AND NOT emptied
                ) first CROSS JOIN LATERAL (
                    SELECT coalesce(sum(least(before - 1, %1$s) - greatest(after, first.after)), 0) AS positions
                    FROM {gap} WHERE log = 'event_log' AND before > first.after AND after < %1$s
                ) g
                """.formatted(PostgresRead.HEAD));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setLong(1, cursor.position());
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    private void begin(Connection connection, String subscription, SnapshotCursor cursor) throws SQLException {
        String lanes = jdbc.sql(
                // Above every epoch that a removed subscription of this name can have reached: each of those cost an
                // xid.
                """
                INSERT INTO {lane} (subscription, lane, epoch)
                SELECT ?, generate_series(0, ? - 1), pg_current_xact_id()::text::bigint
                """);
        String settlements = jdbc.sql("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    mark_bound, mark_position, late_from, late_pinned,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, lane, epoch, ?, ?, ?::pg_snapshot, ?::xid8, ?, ?::xid8, ?, ?, ?::pg_snapshot,
                    0, 0, 0, 0, 0, 0
                FROM {lane} WHERE subscription = ?
                """);
        try (PreparedStatement write = connection.prepareStatement(lanes)) {
            write.setString(1, subscription);
            write.setInt(2, jdbc.lanes().count(connection));
            write.executeUpdate();
        }
        try (PreparedStatement write = connection.prepareStatement(settlements)) {
            PostgresSettle.bindCursor(write, 1, 0, cursor);
            write.setString(10, subscription);
            write.executeUpdate();
        }
    }

    private SnapshotCursor cursor(Start start) {
        if (start instanceof Start.End) {
            return watch.now();
        } else if (start instanceof Start.After after) {
            return SnapshotCursor.after(existing(after.position()));
        } else if (start instanceof Start.At at) {
            return at(at.time());
        }
        return SnapshotCursor.after(0);
    }

    private long existing(Position position) {
        long head = jdbc.autocommit(this::head);
        if (position.value() > head) {
            throw new IllegalArgumentException(
                    "a subscription cannot start after position " + position + ": the log ends at " + head);
        }
        return position.value();
    }

    private SnapshotCursor at(Instant time) {
        SnapshotCursor end = watch.now();
        return jdbc.autocommit(connection -> {
            long first = 0;
            for (Layout.Part part : layout.newestFirst(connection)) {
                Young young = young(connection, part, time);
                first = young.first() == 0 ? first : young.first();
                // Segments go with time: nothing before one that is older is younger.
                if (young.first() == 0 && young.any()) {
                    break;
                }
            }
            return first == 0 ? end : at(first - 1, end);
        });
    }

    /** The first position since some time, 0 if there is none; and whether there are events at all. */
    private record Young(long first, boolean any) {}

    private Young young(Connection connection, Layout.Part part, Instant time) throws SQLException {
        String sql = jdbc.sql("""
                SELECT (SELECT min(position) FROM %1$s p WHERE appended_at >= ?), EXISTS (SELECT FROM %1$s p)
                """.formatted(part.source()));
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setObject(1, OffsetDateTime.ofInstant(time, ZoneOffset.UTC));
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new Young(row.getLong(1), row.getBoolean(2));
            }
        } catch (SQLException e) {
            if (ServerError.isUndefinedTable(e)) {
                return new Young(0, false);
            }
            throw e;
        }
    }

    /** From a position on, and what had drawn a lower one and was not yet committed: it may be as young. */
    private static SnapshotCursor at(long position, SnapshotCursor end) {
        long floor = Math.min(position, end.floor());
        return new SnapshotCursor(
                position, end.snapshot(), end.bound(), floor, new SnapshotCursor.Mark(end.bound(), position), null);
    }

    private long head(Connection connection) throws SQLException {
        String sql = jdbc.sql("SELECT " + PostgresRead.HEAD);
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
