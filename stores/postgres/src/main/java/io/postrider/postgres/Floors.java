package io.postrider.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The floors of lanes: those of their newest settlements, as floors only rise. Nothing at or below the lowest one is
 * read again. Without a lane it is 0.
 */
final class Floors {
    private static final String LOWEST = """
            SELECT min(s.floor) FROM {lane} l CROSS JOIN LATERAL (
                SELECT s.floor FROM {settlement} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                ORDER BY s.number DESC LIMIT 1
            ) s
            """;

    private Floors() {}

    /** Of all subscriptions. */
    static long lowest(Jdbc jdbc, Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(LOWEST))) {
            return number(select);
        }
    }

    static long lowest(Jdbc jdbc, Connection connection, String subscription) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(LOWEST + " WHERE l.subscription = ?"))) {
            select.setString(1, subscription);
            return number(select);
        }
    }

    private static long number(PreparedStatement select) throws SQLException {
        try (ResultSet row = select.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
