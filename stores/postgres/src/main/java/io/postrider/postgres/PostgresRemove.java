package io.postrider.postgres;

import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.operate.Removed;
import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Removes a subscription: counted, gone and on record in one transaction. */
final class PostgresRemove {
    /** Blocks of a table that one statement deletes from: some ten thousand records. */
    private static final int BLOCKS_AT_ONCE = 128;

    /** Attempts at a removal that met settles the other way round. */
    private static final int ATTEMPTS_MAX = 5;

    private final Jdbc jdbc;

    PostgresRemove(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    Removed remove(String subscription, By by, Removal removal) {
        boolean known = new KnownSubscriptions(jdbc).list().contains(subscription);
        long pending = known ? new PostgresBrowse(jdbc).ledger(subscription).pending() : 0;
        Removed removed = afterDeadlocks(() -> jdbc.transaction(connection -> {
            if (!lock(connection, subscription)) {
                return Removed.NONE;
            }
            Removed refused = count(connection, subscription, removal, pending);
            if (!refused.done()) {
                return refused;
            }
            lockRows(connection, subscription);
            Removed before = count(connection, subscription, removal, pending);
            if (before.done()) {
                endOperations(connection, subscription);
                delete(connection, subscription);
                note(connection, subscription, by, before);
            }
            return before;
        }));
        if (removed.done() || !removed.found()) {
            forget(subscription);
        }
        return removed;
    }

    /** Tasks are settled in an order of their own, so that a settle and this may wait for each other after all. */
    private static Removed afterDeadlocks(Supplier<Removed> remove) {
        for (int attempt = 1; ; attempt++) {
            try {
                return remove.get();
            } catch (StoreException e) {
                if (attempt == ATTEMPTS_MAX || !ServerError.isDeadlock(e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Settles hold a lane and then ask for the key of this row: a stronger lock would meet them the other way round.
     */
    private boolean lock(Connection connection, String subscription) throws SQLException {
        String sql = jdbc.sql("SELECT name FROM {subscription} WHERE name = ? FOR NO KEY UPDATE");
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, subscription);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /**
     * Waits for whoever settles, and lets nobody begin: operations, lanes, then rows, as chunks of operations and
     * settles lock them. Once the lanes are locked nobody adds a row.
     */
    private void lockRows(Connection connection, String subscription) throws SQLException {
        for (String rows : List.of(
                "{operation} WHERE subscription = ? AND ended_at IS NULL ORDER BY id",
                "{lane} WHERE subscription = ? ORDER BY lane",
                "{delivery} WHERE subscription = ? ORDER BY lane, position")) {
            try (PreparedStatement select = connection.prepareStatement(
                    jdbc.sql("SELECT count(*) FROM (SELECT FROM " + rows + " FOR UPDATE) r"))) {
                select.setString(1, subscription);
                select.executeQuery().close();
            }
        }
    }

    /** Otherwise they would go on with events of the next subscription of this name. */
    private void endOperations(Connection connection, String subscription) throws SQLException {
        String sql = jdbc.sql("""
                WITH o AS (
                    UPDATE {operation} o SET state = 'failed', ended_at = clock_timestamp(),
                        reasons = o.reasons || ARRAY['its subscription was removed']
                    WHERE o.subscription = ? AND o.ended_at IS NULL RETURNING o.*
                )
                INSERT INTO {audit} (who, why, action, subscription, operation, details)
                SELECT who, why, 'operation_failed', subscription, id, %s FROM o
                """.formatted(PostgresChunks.COUNTS));
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, subscription);
            update.executeUpdate();
        }
    }

    private Removed count(Connection connection, String subscription, Removal removal, long pending)
            throws SQLException {
        String sql = jdbc.sql("""
                SELECT count(*) FILTER (WHERE status = 'dead')
                        + (SELECT count(*) FROM {dead_events} WHERE subscription = ? AND status = 'pending'),
                    count(*) FILTER (WHERE status = 'expired'),
                    count(*) FILTER (WHERE status NOT IN ('dead', 'expired'))
                FROM {delivery} WHERE subscription = ?
                """);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, subscription);
            select.setString(2, subscription);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                Removed had = new Removed(true, true, row.getLong(1), row.getLong(2), row.getLong(3), pending);
                boolean done = !had.any() || removal == Removal.DROPPING;
                return new Removed(true, done, had.dead(), had.expired(), had.waiting(), pending);
            }
        }
    }

    private void delete(Connection connection, String subscription) throws SQLException {
        try (PreparedStatement row =
                        connection.prepareStatement(jdbc.sql("DELETE FROM {subscription} WHERE name = ?"));
                PreparedStatement settlements =
                        connection.prepareStatement(jdbc.sql("DELETE FROM {settlement} WHERE subscription = ?"))) {
            row.setString(1, subscription);
            settlements.setString(1, subscription);
            row.executeUpdate();
            settlements.executeUpdate();
        }
    }

    private void note(Connection connection, String subscription, By by, Removed removed) throws SQLException {
        String sql =
                jdbc.sql("INSERT INTO {audit} (who, why, action, details, subscription) VALUES (?, ?, ?, ?::json, ?)");
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            Parameters write = new Parameters(insert);
            PostgresAudit.bind(write, by, Audit.Action.REMOVE, removed.details());
            write.text(subscription);
            insert.executeUpdate();
        }
    }

    /**
     * Deletes records that are older than the newest removal of this name, outside of its transaction, because they may
     * be many. A repeated call completes one that was cut short. Later records belong to somebody else of that name: a
     * new subscription, or a consumer.
     */
    private void forget(String subscription) {
        jdbc.autocommit(connection -> {
            Optional<String> removedAt = removedAt(connection, subscription);
            if (removedAt.isPresent()) {
                for (int bucket = 0; bucket < BucketRing.BUCKETS; bucket++) {
                    delete(connection, "processed_" + bucket, "handler", subscription, removedAt.get());
                }
                delete(connection, "attempt", "subscription", subscription, removedAt.get());
            }
            return true;
        });
    }

    /** As PostgreSQL writes it; empty if no subscription of this name was ever removed. */
    private Optional<String> removedAt(Connection connection, String subscription) throws SQLException {
        String sql = jdbc.sql("""
                SELECT at::text FROM {audit} WHERE subscription = ? AND action = ? ORDER BY number DESC LIMIT 1
                """);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            new Parameters(select).text(subscription).text(PostgresAudit.name(Audit.Action.REMOVE));
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    /** Block by block, because no index has the column: a statement that is cut short undoes no more than its own. */
    private void delete(Connection connection, String table, String column, String subscription, String removedAt)
            throws SQLException {
        String sql = jdbc.sql("""
                DELETE FROM {%s} WHERE ctid >= ?::tid AND ctid < ?::tid AND %s = ? AND at <= ?::timestamptz
                """.formatted(table, column));
        long blocks = blocks(connection, table);
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            for (long block = 0; block < blocks; block += BLOCKS_AT_ONCE) {
                new Parameters(delete)
                        .text("(%d,0)".formatted(block))
                        .text("(%d,0)".formatted(block + BLOCKS_AT_ONCE))
                        .text(subscription)
                        .text(removedAt);
                delete.executeUpdate();
            }
        }
    }

    /** What is added to the table from now on is younger than the removal. */
    private long blocks(Connection connection, String table) throws SQLException {
        String sql = jdbc.sql("SELECT pg_relation_size('{%s}') / current_setting('block_size')::int".formatted(table));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
