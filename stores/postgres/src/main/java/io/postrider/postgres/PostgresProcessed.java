package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.spi.Processed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Processed: one INSERT in the transaction of the effect, which conflicts with an earlier one. */
final class PostgresProcessed implements Processed<Connection> {
    private final Jdbc jdbc;
    private final BucketRing ring;
    private final String record;

    PostgresProcessed(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.ring = new BucketRing(jdbc, "processed");
        this.record =
                jdbc.sql("INSERT INTO {processed} (event, handler, bucket) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    }

    @Override
    public boolean first(Connection transaction, EventId event, String handler) {
        try (PreparedStatement insert = transaction.prepareStatement(record)) {
            insert.setObject(1, event.value());
            insert.setString(2, handler);
            insert.setInt(3, BucketRing.bucket(event));
            return insert.executeUpdate() == 1;
        } catch (SQLException e) {
            throw Jdbc.failure(e);
        }
    }

    @Override
    public boolean forget(Duration age) {
        return ring.forget(age, connection -> before(connection, age));
    }

    /**
     * Until when records may be forgotten. An effect may have been committed whose settle is lost, however long ago, if
     * no node has run the subscription since. Its event is pending, and then the record is younger than the oldest
     * event behind a lane's floor, but for an hour that clocks may be wrong by; or it waits in a row, and then the
     * record is looked for, because the row does not say when it was dispatched: whoever takes it over changes it.
     */
    private @Nullable String before(Connection connection, Duration age) throws SQLException {
        String sql = jdbc.sql("""
                SELECT least(now() - %s, (
                    SELECT min(o.appended_at) FROM {lane} l CROSS JOIN LATERAL (
                        SELECT floor FROM {settlement} s
                        WHERE s.subscription = l.subscription AND s.lane = l.lane ORDER BY s.number DESC LIMIT 1
                    ) s CROSS JOIN LATERAL {events_after}(l.lane, s.floor, 1) o
                ) - interval '1 hour', (
                    SELECT min(p.at) FROM {delivery} d
                    JOIN {processed} p ON p.event = d.id AND p.handler = d.subscription
                      AND p.bucket = (%s)::smallint
                    WHERE d.status IN ('ready', 'retrying', 'running')
                ))::text
                """.formatted(BucketRing.interval(age), BucketRing.bucketOf("d.id")));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
