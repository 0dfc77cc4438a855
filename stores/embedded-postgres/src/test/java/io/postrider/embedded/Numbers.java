package io.postrider.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A table of numbers: each one is committed before it counts as acknowledged. */
final class Numbers {

    private Numbers() {}

    static Connection connect(EmbeddedPostgres server) throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
    }

    static void create(Connection connection) throws SQLException {
        execute(connection, "CREATE TABLE IF NOT EXISTS number (value bigint PRIMARY KEY)");
    }

    static void add(Connection connection, long number) throws SQLException {
        execute(connection, "INSERT INTO number VALUES (" + number + ")");
    }

    static List<Long> all(EmbeddedPostgres server) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT value FROM number ORDER BY value")) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }

    static String show(EmbeddedPostgres server, String setting) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW " + setting)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
