package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.Start;
import io.postrider.spi.Cursor;
import io.postrider.spi.Subscriptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** The named readers: a row each, a row per lane, and a first settlement that says where they begin. */
final class PostgresSubscriptions implements Subscriptions {
    private final Jdbc jdbc;
    private final PostgresWatch watch;

    PostgresSubscriptions(Jdbc jdbc, PostgresWatch watch) {
        this.jdbc = jdbc;
        this.watch = watch;
    }

    @Override
    public void register(String subscription, Start start, String filter) {
        if (list().contains(subscription)) {
            jdbc.autocommit(connection -> insert(connection, subscription, filter));
            return;
        }
        Cursor cursor = cursor(start);
        jdbc.transaction(connection -> {
            boolean isNew = insert(connection, subscription, filter);
            if (isNew) {
                begin(connection, subscription, cursor);
            }
            return isNew;
        });
    }

    /** True if it is new; otherwise its filter is this one from now on. */
    private boolean insert(Connection connection, String subscription, String filter) throws SQLException {
        String sql = jdbc.sql("""
                INSERT INTO {subscription} AS s (name, filter) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET filter = excluded.filter
                RETURNING s.xmax = 0
                """);
        try (PreparedStatement write = connection.prepareStatement(sql)) {
            write.setString(1, subscription);
            write.setString(2, filter);
            try (ResultSet row = write.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    private void begin(Connection connection, String subscription, Cursor cursor) throws SQLException {
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
            write.setInt(2, Lane.COUNT);
            write.executeUpdate();
        }
        try (PreparedStatement write = connection.prepareStatement(settlements)) {
            PostgresSettle.bindCursor(write, 1, 0, cursor);
            write.setString(10, subscription);
            write.executeUpdate();
        }
    }

    private Cursor cursor(Start start) {
        if (start instanceof Start.End) {
            return watch.now();
        } else if (start instanceof Start.After after) {
            return Cursor.after(existing(after.position()));
        } else if (start instanceof Start.At at) {
            return at(at.time());
        }
        return Cursor.after(0);
    }

    private long existing(Position position) {
        long head = jdbc.autocommit(this::head);
        if (position.value() > head) {
            throw new IllegalArgumentException(
                    "a subscription cannot start after position " + position + ": the log ends at " + head);
        }
        return position.value();
    }

    private Cursor at(Instant time) {
        Cursor end = watch.now();
        String sql = jdbc.sql("SELECT min(position) FROM {outbox_log} WHERE appended_at >= ?");
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setObject(1, OffsetDateTime.ofInstant(time, ZoneOffset.UTC));
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    long first = row.getLong(1);
                    return row.wasNull() ? end : at(first - 1, end);
                }
            }
        });
    }

    /** From a position on, and what had drawn a lower one and was not yet committed: it may be as young. */
    private static Cursor at(long position, Cursor end) {
        return new Cursor(position, end.snapshot(), end.bound(), 0, new Cursor.Mark(end.bound(), position), null);
    }

    private long head(Connection connection) throws SQLException {
        String sql = jdbc.sql("SELECT " + PostgresRead.HEAD);
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public boolean remove(String subscription) {
        boolean found = jdbc.transaction(connection -> {
            try (PreparedStatement settlements =
                            connection.prepareStatement(jdbc.sql("DELETE FROM {settlement} WHERE subscription = ?"));
                    PreparedStatement row =
                            connection.prepareStatement(jdbc.sql("DELETE FROM {subscription} WHERE name = ?"))) {
                row.setString(1, subscription);
                settlements.setString(1, subscription);
                int rows = row.executeUpdate();
                settlements.executeUpdate();
                return rows == 1;
            }
        });
        forget(subscription);
        return found;
    }

    /**
     * On their own, because they may take long, and also where there was none: a call that was cut short is repeated.
     */
    private void forget(String subscription) {
        jdbc.autocommit(connection -> {
            try (PreparedStatement records =
                            connection.prepareStatement(jdbc.sql("DELETE FROM {processed} WHERE handler = ?"));
                    PreparedStatement attempts =
                            connection.prepareStatement(jdbc.sql("DELETE FROM {attempt} WHERE subscription = ?"))) {
                records.setString(1, subscription);
                attempts.setString(1, subscription);
                return records.executeUpdate() + attempts.executeUpdate();
            }
        });
    }

    @Override
    public List<String> list() {
        return jdbc.autocommit(connection -> {
            List<String> names = new ArrayList<>();
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(jdbc.sql("SELECT name FROM {subscription} ORDER BY name"))) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
            return names;
        });
    }
}
