package io.postrider.chaos;

import io.postrider.Event;
import io.postrider.Outbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The business state: a row per key with its last number, which is locked by whoever appends for that key, and a row
 * per event, which says after any failure whether its transaction has committed.
 */
final class KeyTable {
    private final Outbox<Connection> outbox;

    KeyTable(Outbox<Connection> outbox) {
        this.outbox = outbox;
    }

    static void create(DataSource dataSource, Collection<String> keys) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO chaos_key (key) SELECT ?")) {
            statement.execute("CREATE TABLE chaos_key (key text PRIMARY KEY, sequence bigint NOT NULL DEFAULT 0)");
            statement.execute("CREATE TABLE chaos_event (id uuid PRIMARY KEY, key text, sequence bigint)");
            for (String key : keys) {
                insert.setString(1, key);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** Appends the key's next event, beside the change of its row and a row of the event's own. */
    NumberedEvent append(Connection transaction, String key) throws SQLException {
        long sequence = next(transaction, key);
        Event event = Event.of(NumberedEvent.TYPE, new NumberedEvent.Content(sequence))
                .key(key);
        NumberedEvent appended =
                new NumberedEvent(outbox.append(transaction, event).value(), key, sequence);
        try (PreparedStatement insert = transaction.prepareStatement("INSERT INTO chaos_event VALUES (?, ?, ?)")) {
            insert.setObject(1, appended.id());
            insert.setString(2, key);
            insert.setLong(3, sequence);
            insert.executeUpdate();
        }
        return appended;
    }

    private static long next(Connection transaction, String key) throws SQLException {
        try (PreparedStatement update = transaction.prepareStatement(
                "UPDATE chaos_key SET sequence = sequence + 1 WHERE key = ? RETURNING sequence")) {
            update.setString(1, key);
            try (ResultSet row = update.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** The events whose transactions have committed, by the word of PostgreSQL. */
    static List<NumberedEvent> committed(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, key, sequence FROM chaos_event")) {
            List<NumberedEvent> committed = new ArrayList<>();
            while (row.next()) {
                committed.add(new NumberedEvent(row.getObject(1, UUID.class), row.getString(2), row.getLong(3)));
            }
            return committed;
        }
    }
}
