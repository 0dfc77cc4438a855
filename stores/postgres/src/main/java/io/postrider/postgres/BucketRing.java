package io.postrider.postgres;

import io.postrider.EventId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records about events in a ring of {@link #BUCKETS} tables, each for the events of one day. The bucket follows from
 * the event and not from the time of the record, so that two records of one event always meet. Forgetting truncates a
 * bucket when all its records are old: no dead tuples, and no lock that anyone waits for, because nobody writes to it
 * any more. Where events keep coming to a bucket, as with ids that have no time in them, records are deleted at twice
 * the age.
 */
final class BucketRing {
    static final int BUCKETS = 16;

    private static final long BUCKET_MILLIS = Duration.ofDays(1).toMillis();
    /** Records deleted at once, where a bucket cannot be truncated. */
    private static final int DELETED_MAX = 10_000;

    private final Jdbc jdbc;
    private final String table;

    /** A bucket with records that are old enough to go, and whether all of them are. */
    private record Old(int bucket, boolean whole) {}

    /** Until when records may be forgotten, as PostgreSQL writes it; null if none may. */
    @FunctionalInterface
    interface Bound {
        @Nullable
        String before(Connection connection) throws SQLException;
    }

    /** The table has columns {@code bucket} and {@code at}, and a partition {@code table_n} for each bucket. */
    BucketRing(Jdbc jdbc, String table) {
        this.jdbc = jdbc;
        this.table = table;
    }

    /** The day in the first 48 bits of the id, where it has one. */
    static int bucket(EventId event) {
        long millis = event.value().getMostSignificantBits() >>> 16;
        return (int) (millis / BUCKET_MILLIS % BUCKETS);
    }

    /** The same in SQL. */
    static String bucketOf(String column) {
        return "('x' || left(replace(" + column + "::text, '-', ''), 12))::bit(48)::bigint / " + BUCKET_MILLIS + " % "
                + BUCKETS;
    }

    /** Forgets records of this age that the bound lets go; true if there were any. */
    boolean forget(Duration age, Bound bound) {
        return jdbc.autocommit(connection -> {
            List<Old> buckets = old(connection, age);
            String before = buckets.isEmpty() ? null : bound.before(connection);
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
            sql.append(bucket == 0 ? "" : " UNION ALL ")
                    .append("""
                    SELECT %1$d, max(at) < now() - %2$s, min(at) < now() - 2 * %2$s
                    FROM %3$s
                    """.formatted(bucket, interval(age), partition(bucket)));
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

    private boolean forget(Connection connection, Old old, Duration age, String before) throws SQLException {
        return old.whole() ? truncate(connection, old.bucket(), before) : delete(connection, old.bucket(), age, before);
    }

    /** Looks again under the lock, behind whoever was about to commit a record. */
    private boolean truncate(Connection connection, int bucket, String before) throws SQLException {
        return Ddl.attempt(jdbc, connection, """
                LOCK TABLE %1$s IN ACCESS EXCLUSIVE MODE;
                DO $$ BEGIN
                    IF EXISTS (SELECT 1 FROM %1$s WHERE at >= '%2$s') THEN RAISE lock_not_available; END IF;
                END $$;
                TRUNCATE %1$s
                """.formatted(partition(bucket), before));
    }

    private boolean delete(Connection connection, int bucket, Duration age, String before) throws SQLException {
        String sql = """
                DELETE FROM %1$s WHERE ctid = ANY (ARRAY (
                    SELECT ctid FROM %1$s
                    WHERE at < least(now() - 2 * %2$s, '%3$s'::timestamptz) ORDER BY at LIMIT %4$d))
                """.formatted(partition(bucket), interval(age), before, DELETED_MAX);
        try (var statement = connection.createStatement()) {
            return statement.executeUpdate(sql) > 0;
        }
    }

    private String partition(int bucket) {
        return jdbc.sql("{" + table + "_" + bucket + "}");
    }

    static String interval(Duration age) {
        return "interval '" + age.toSeconds() + " seconds " + age.toNanosPart() / 1_000 + " microseconds'";
    }
}
