package io.postrider.benchmarks.measure;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.policy.SubscriptionLimits;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Reads the rows of the log and nothing more: one connection, one SELECT in whatever order the table has, every column
 * decoded as a reader would. No cursor is kept, no handler called: what any delivery could reach at most.
 */
public final class BareSelect implements Contender, AutoCloseable {
    private static final int FETCH = SubscriptionLimits.DEFAULT.batchEvents();

    public static final String LOG = "postrider.outbox";

    private final Database database;
    private final String source;
    private final int rows;
    private final HikariDataSource pool;

    public BareSelect(Database database, String source, int rows) {
        this.database = database;
        this.source = source;
        this.rows = rows;
        this.pool = database.pool(1);
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT, "bare SELECT, unordered, one connection, fetch size %,d, %,d rows", FETCH, rows);
    }

    @Override
    public double round() throws Exception {
        database.execute("CHECKPOINT");
        long begin = System.nanoTime();
        long read = read();
        double rate = read * 1e9 / (System.nanoTime() - begin);
        if (read != rows) {
            throw new IllegalStateException("the log has " + read + " rows, not " + rows);
        }
        return rate;
    }

    private long read() throws SQLException {
        long[] whole = new long[1];
        read(event -> {
            if (event.payload().length() == Payloads.BYTES) {
                whole[0]++;
            }
        });
        return whole[0];
    }

    /** Gives each row to somebody. */
    public void read(Consumer<StoredEvent> taker) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT position, lane, id, type, key, payload, headers, tenant,
                           (date_part('epoch', appended_at) * 1000000)::bigint
                    FROM %s
                    """.formatted(source))) {
                select.setFetchSize(FETCH);
                decode(select, taker);
            }
        }
    }

    private static void decode(PreparedStatement select, Consumer<StoredEvent> taker) throws SQLException {
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                taker.accept(event(row));
            }
        }
    }

    private static StoredEvent event(ResultSet row) throws SQLException {
        boolean plain = row.getString(7).equals("{}");
        return new StoredEvent(
                new Position(row.getLong(1)),
                new Lane(row.getInt(2)),
                new EventId(row.getObject(3, UUID.class)),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                plain ? Headers.NONE : Headers.NONE.with("headers", row.getString(7)),
                row.getString(8),
                Instant.EPOCH.plus(row.getLong(9), ChronoUnit.MICROS));
    }

    @Override
    public void close() {
        pool.close();
    }
}
