package io.postrider.postgres.load;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import javax.sql.DataSource;

/** The business state: a row per key with its last number, locked by whoever appends for that key. */
final class KeyTable {
    private KeyTable() {}

    static void create(DataSource dataSource, Collection<String> keys) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE load_key (key text PRIMARY KEY, sequence bigint NOT NULL DEFAULT 0)");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO load_key (key) VALUES (?)")) {
                for (String key : keys) {
                    insert.setString(1, key);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        }
    }

    /** Locks the key until the transaction ends, and counts it up. */
    static long next(Connection transaction, String key) throws SQLException {
        long sequence = lock(transaction, key) + 1;
        try (PreparedStatement update =
                transaction.prepareStatement("UPDATE load_key SET sequence = ? WHERE key = ?")) {
            update.setLong(1, sequence);
            update.setString(2, key);
            update.executeUpdate();
        }
        return sequence;
    }

    private static long lock(Connection transaction, String key) throws SQLException {
        try (PreparedStatement select =
                transaction.prepareStatement("SELECT sequence FROM load_key WHERE key = ? FOR UPDATE")) {
            select.setString(1, key);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
