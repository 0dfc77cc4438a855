package io.postrider.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which users have a right on the log's table, and so could write anything there: the owner, its members and
 * superusers. Functions that check their appends would protect nothing, at half the price of the append.
 *
 * <p>A user is asked about once. A session that has taken another role than it logged in with is left to the functions,
 * and so is a user to whom PostgreSQL has refused an insert. Thread-safe.
 */
final class InsertRights {
    private final String ask;
    private final Map<String, Boolean> users = new ConcurrentHashMap<>();

    InsertRights(Jdbc jdbc) {
        ask = jdbc.sql("SELECT current_user = session_user AND has_table_privilege('{event_log}', 'INSERT')");
    }

    boolean has(Connection connection) throws SQLException {
        String user = connection.getMetaData().getUserName();
        Boolean known = users.get(user);
        if (known != null) {
            return known;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(ask)) {
            row.next();
            boolean has = row.getBoolean(1);
            users.put(user, has);
            return has;
        }
    }

    void refused(Connection connection) throws SQLException {
        users.put(connection.getMetaData().getUserName(), false);
    }
}
