package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.spi.Processed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Processed: one INSERT in the transaction of the effect, which conflicts with an earlier one.
 *
 * <p>Records lie in a ring of {@link #BUCKETS} tables, each for the events of one day. The bucket follows from the
 * event and not from the time of the record, so that two records of one event always meet. Forgetting truncates a
 * bucket when all its records are old: no dead tuples, and no lock that anyone waits for, because nobody writes to it
 * any more. Where events keep coming to a bucket, as with ids that have no time in them, records are deleted at twice
 * the age.
 */
final class PostgresProcessed implements Processed<Connection> {
    static final int BUCKETS = 16;

    private static final long BUCKET_MILLIS = Duration.ofDays(1).toMillis();
    /** The bucket of a delivery row's event, see {@link #bucket}. */
    private static final String BUCKET_OF_ROW =
            "('x' || left(replace(d.id::text, '-', ''), 12))::bit(48)::bigint / " + BUCKET_MILLIS + " % " + BUCKETS;
    /** Records deleted at once, where a bucket cannot be truncated. */
    private static final int DELETED_MAX = 10_000;

    private final Jdbc jdbc;
    private final String record;

    /** A bucket with records that are old enough to go, and whether all of them are. */
    private record Old(int bucket, boolean whole) {}

    PostgresProcessed(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.record =
                jdbc.sql("INSERT INTO {processed} (event, handler, bucket) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    }

    @Override
    public boolean first(Connection transaction, EventId event, String handler) {
        try (PreparedStatement insert = transaction.prepareStatement(record)) {
            insert.setObject(1, event.value());
            insert.setString(2, handler);
            insert.setInt(3, bucket(event));
            return insert.executeUpdate() == 1;
        } catch (SQLException e) {
            throw Jdbc.failure(e);
        }
    }

    /** The day in the first 48 bits of the id, where it has one. */
    static int bucket(EventId event) {
        long millis = event.value().getMostSignificantBits() >>> 16;
        return (int) (millis / BUCKET_MILLIS % BUCKETS);
    }

    // ---- forget -----------------------------------------------------------------------------------------------------

    @Override
    public boolean forget(Duration age) {
        return jdbc.autocommit(connection -> {
            List<Old> buckets = old(connection, age);
            String before = buckets.isEmpty() ? null : before(connection, age);
            boolean forgotten = false;
            for (Old old : buckets) {
                forgotten |= before != null && forget(connection, old, age, before);
            }
            return forgotten;
        });
    }

    private List<Old> old(Connection connection, Duration age) throws SQLException {
        StringBuilder sql = new StringBuilder();
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            sql.append(bucket == 0 ? "" : " UNION ALL ").append(jdbc.sql("""
                    SELECT %1$d, max(at) < now() - %2$s, min(at) < now() - 2 * %2$s
                    FROM {processed_%1$d}
                    """.formatted(bucket, interval(age))));
        }
        List<Old> old = new ArrayList<>();
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql.toString())) {
            while (row.next()) {
                if (row.getBoolean(2) || row.getBoolean(3)) {
                    old.add(new Old(row.getInt(1), row.getBoolean(2)));
                }
            }
        }
        return old;
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
                    ) s CROSS JOIN LATERAL (
                        SELECT appended_at FROM {outbox_log} o
                        WHERE o.lane = l.lane AND o.position > s.floor ORDER BY o.position LIMIT 1
                    ) o
                ) - interval '1 hour', (
                    SELECT min(p.at) FROM {delivery} d
                    JOIN {processed} p ON p.event = d.id AND p.handler = d.subscription
                      AND p.bucket = (%s)::smallint
                    WHERE d.status IN ('ready', 'retrying', 'running')
                ))::text
                """.formatted(interval(age), BUCKET_OF_ROW));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private boolean forget(Connection connection, Old old, Duration age, String before) throws SQLException {
        return old.whole() ? truncate(connection, old.bucket(), before) : delete(connection, old.bucket(), age, before);
    }

    /** Looks again under the lock, behind whoever was about to commit a record. */
    private boolean truncate(Connection connection, int bucket, String before) throws SQLException {
        return Ddl.attempt(connection, jdbc.sql("""
                LOCK TABLE {processed_%1$d} IN ACCESS EXCLUSIVE MODE;
                DO $$ BEGIN
                    IF EXISTS (SELECT 1 FROM {processed_%1$d} WHERE at >= '%2$s') THEN RAISE lock_not_available; END IF;
                END $$;
                TRUNCATE {processed_%1$d}
                """.formatted(bucket, before)));
    }

    private boolean delete(Connection connection, int bucket, Duration age, String before) throws SQLException {
        String sql = jdbc.sql("""
                DELETE FROM {processed_%1$d} WHERE ctid = ANY (ARRAY (
                    SELECT ctid FROM {processed_%1$d}
                    WHERE at < least(now() - 2 * %2$s, '%3$s'::timestamptz) ORDER BY at LIMIT %4$d))
                """.formatted(bucket, interval(age), before, DELETED_MAX));
        try (var statement = connection.createStatement()) {
            return statement.executeUpdate(sql) > 0;
        }
    }

    private static String interval(Duration age) {
        return "interval '" + age.toSeconds() + " seconds " + age.toNanosPart() / 1_000 + " microseconds'";
    }
}
