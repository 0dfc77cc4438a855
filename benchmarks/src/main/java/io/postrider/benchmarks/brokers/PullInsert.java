package io.postrider.benchmarks.brokers;

import com.zaxxer.hikari.HikariDataSource;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * What anybody needs who may not lose a message and may not handle it twice: each fetch goes into a table with a unique
 * id, and is acknowledged when that is committed. Nothing is read from there, and nothing handled.
 */
final class PullInsert implements Contender {
    private static final String TABLE = "bench.fetched";

    private final Database database;
    private final HikariDataSource pool;
    private final PullConsume consume;
    private final int messages;

    PullInsert(Database database, JetStreamPlace place, int messages) {
        this.database = database;
        this.pool = database.pool(1);
        this.messages = messages;
        this.consume = new PullConsume(place, messages, "storing", this::insert);
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT, "bare jnats %s fetch with INSERT and ack, %,d messages", Nats.CLIENT_VERSION, messages);
    }

    @Override
    public String how() {
        return "the same, and each fetch goes into one table with a unique id (ON CONFLICT DO NOTHING) by one statement"
                + " and one commit before it is acknowledged; nothing is read from there, and nothing handled";
    }

    @Override
    public double round() throws Exception {
        database.execute(
                "CREATE SCHEMA IF NOT EXISTS bench",
                "DROP TABLE IF EXISTS " + TABLE,
                "CREATE TABLE " + TABLE
                        + " (id uuid PRIMARY KEY, type text NOT NULL, key text, payload json NOT NULL, at timestamptz"
                        + " NOT NULL DEFAULT clock_timestamp())");
        database.settleDown();
        return consume.round();
    }

    private void insert(List<Message> batch) throws SQLException {
        UUID[] ids = new UUID[batch.size()];
        String[] types = new String[batch.size()];
        String[] keys = new String[batch.size()];
        String[] payloads = new String[batch.size()];
        for (int i = 0; i < ids.length; i++) {
            Message message = batch.get(i);
            ids[i] = UUID.fromString(message.getHeaders().getFirst(io.postrider.wire.Message.ID));
            types[i] = message.getHeaders().getFirst(io.postrider.wire.Message.TYPE);
            keys[i] = message.getHeaders().getFirst(io.postrider.wire.Message.KEY);
            payloads[i] = new String(message.getData(), StandardCharsets.UTF_8);
        }
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO " + TABLE
                        + " (id, type, key, payload) SELECT id, type, key, payload::json"
                        + " FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[]) AS m (id, type, key, payload)"
                        + " ON CONFLICT DO NOTHING")) {
            insert.setArray(1, connection.createArrayOf("uuid", ids));
            insert.setArray(2, connection.createArrayOf("text", types));
            insert.setArray(3, connection.createArrayOf("text", keys));
            insert.setArray(4, connection.createArrayOf("text", payloads));
            insert.executeUpdate();
        }
    }
}
