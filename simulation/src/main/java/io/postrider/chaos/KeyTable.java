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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * The business state: a row per key with its last number, which is locked by whoever appends for that key, and a row
 * per event, which says after any failure whether its transaction has committed. Thread-safe.
 */
final class KeyTable {
    private static final String INSERT_KEY = "INSERT INTO chaos_key (key) SELECT ?";

    private final Outbox<Connection> outbox;
    private final Set<UUID> later = ConcurrentHashMap.newKeySet();
    private volatile boolean mixed;

    KeyTable(Outbox<Connection> outbox) {
        this.outbox = outbox;
    }

    static void create(DataSource dataSource, Collection<String> keys) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE chaos_key (key text PRIMARY KEY, sequence bigint NOT NULL DEFAULT 0)");
            statement.execute("CREATE TABLE chaos_event (id uuid PRIMARY KEY, key text, sequence bigint)");
            add(connection, keys);
        }
    }

    /** More keys. */
    static void add(Connection connection, Collection<String> keys) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT_KEY)) {
            for (String key : keys) {
                insert.setString(1, key);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** From now on every second event of a key is of the {@link NumberedEvent#LATER_TYPE}. */
    void mix() {
        mixed = true;
    }

    /** Whether the event is of the {@link NumberedEvent#LATER_TYPE}. */
    boolean isLater(UUID event) {
        return later.contains(event);
    }

    /** Appends the key's next event, beside the change of its row and a row of the event's own. */
    NumberedEvent append(Connection transaction, String key) throws SQLException {
        long sequence = next(transaction, key);
        String type = mixed && sequence % 2 == 0 ? NumberedEvent.LATER_TYPE : NumberedEvent.TYPE;
        Event event = Event.of(type, new NumberedEvent.Content(sequence)).key(key);
        NumberedEvent appended =
                new NumberedEvent(outbox.append(transaction, event).value(), key, sequence);
        if (type.equals(NumberedEvent.LATER_TYPE)) {
            later.add(appended.id());
        }
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
