package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What handlers did in the second PostgreSQL: a row for each time, numbered in the order in which they did it. */
final class Effects {
    private final HikariDataSource pool;

    /**
     * What the rows say.
     *
     * @param all how many there are
     * @param events of how many events
     * @param outOfOrder how many came after a later one of their key
     */
    record Count(long all, long events, long outOfOrder) {
        long twice() {
            return all - events;
        }
    }

    private Effects(HikariDataSource pool) {
        this.pool = pool;
    }

    /** The table has no constraint that would hide a second effect. */
    static Effects create(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE chaos_effect (n bigserial, key text NOT NULL, number bigint NOT NULL)");
        }
        return new Effects(pool);
    }

    static void add(Connection transaction, String key, long number) throws SQLException {
        try (PreparedStatement insert =
                transaction.prepareStatement("INSERT INTO chaos_effect (key, number) VALUES (?, ?)")) {
            insert.setString(1, key);
            insert.setLong(2, number);
            insert.executeUpdate();
        }
    }

    Count count() throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT count(*), count(DISTINCT number), count(*) FILTER (WHERE number < before)
                        FROM (SELECT number, lag(number) OVER (PARTITION BY key ORDER BY n) AS before
                              FROM chaos_effect) AS effect
                        """)) {
            row.next();
            return new Count(row.getLong(1), row.getLong(2), row.getLong(3));
        }
    }
}
