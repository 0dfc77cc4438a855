package io.postrider.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names the sessions that hold locks in a schema, as far as PostgreSQL tells them to the role that asks. */
final class LockHolders {
    private static final int NAMED_MAX = 5;

    private LockHolders() {}

    /** Of a table, those that hold more than a reader does. */
    static String of(Connection connection, String schema, String table) throws SQLException {
        return names(connection, schema, table);
    }

    /** Of every table in the schema, readers too. */
    static String anywhere(Connection connection, String schema) throws SQLException {
        return names(connection, schema, null);
    }

    /** Statements are left out, because they may have data in them. */
    private static String names(Connection connection, String schema, @Nullable String table) throws SQLException {
        String sql = """
                SELECT coalesce('process ' || l.pid, 'a prepared transaction')
                    || coalesce(' of role ' || a.usename, '')
                    || coalesce(', application ''' || nullif(a.application_name, '') || '''', '')
                    || coalesce(', in a transaction since ' || date_trunc('second', a.xact_start), '')
                FROM (
                    SELECT DISTINCT k.pid FROM pg_catalog.pg_locks k
                    JOIN pg_catalog.pg_class c ON c.oid = k.relation
                    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                    JOIN pg_catalog.pg_database d ON d.oid = k.database AND d.datname = current_database()
                    WHERE k.granted AND k.pid IS DISTINCT FROM pg_backend_pid() AND n.nspname = ?
                      AND (?::text IS NULL OR c.relname = ? AND k.mode <> 'AccessShareLock')
                ) l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
                ORDER BY a.xact_start NULLS LAST, l.pid LIMIT ?
                """;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, schema);
            select.setString(2, table);
            select.setString(3, table);
            select.setInt(4, NAMED_MAX);
            List<String> names = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
            return names.isEmpty() ? "nobody to be seen any more" : String.join("; ", names);
        }
    }
}
