package io.postrider.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * By what one sees what PostgreSQL has been through.
 *
 * @param started when its postmaster was started, as text
 * @param marked whether a row in an unlogged table is still there: recovery from a crash empties such tables
 */
record Vitals(String started, boolean marked) {
    private static final String READ = "SELECT pg_postmaster_start_time()::text, EXISTS (SELECT FROM chaos_mark)";

    /** Leaves the mark, by which {@link #read} knows a crash. */
    static Vitals mark(Cluster cluster) throws SQLException {
        try (Connection connection = cluster.connect("harness");
                var statement = connection.createStatement()) {
            statement.execute("CREATE UNLOGGED TABLE chaos_mark AS SELECT 1");
        }
        return read(cluster);
    }

    static Vitals read(Cluster cluster) throws SQLException {
        try (Connection connection = cluster.connect("harness");
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(READ)) {
            row.next();
            return new Vitals(row.getString(1), row.getBoolean(2));
        }
    }

    boolean samePostmaster(Vitals other) {
        return started.equals(other.started);
    }
}
