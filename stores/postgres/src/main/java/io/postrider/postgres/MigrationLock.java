package io.postrider.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * Lets one process at a time migrate a schema. The lock is that of the schema's history, in a mode that PostgreSQL
 * gives only to roles that may write the history: those that append or read could take any advisory lock, and hold
 * migrations up with it. Readers of the history do not meet it. Where there is no history yet, the one that makes it is
 * first, and all others find its name taken. Ends with the transaction, and no later: sessions behind a transaction
 * pooler change hands.
 */
final class MigrationLock {
    /** Another process migrates this schema: object in use. */
    static final String ELSEWHERE = "55006";

    /** Lock not available; the schema or the table is there already, or a row of the catalog that names it. */
    private static final Set<String> NOT_FIRST = Set.of("55P03", "42P06", "42P07", "42710", "23505");

    private final SchemaHistory history;
    private final String schema;

    MigrationLock(PostgresStoreConfig config) {
        this.history = new SchemaHistory(config);
        this.schema = config.schema();
    }

    /** For a schema with a history, by a member of the owner. */
    String statement() {
        return "LOCK TABLE " + schema + "." + SchemaHistory.TABLE + " IN SHARE ROW EXCLUSIVE MODE";
    }

    /** Takes the lock of a history that is there. */
    void take(Connection connection) throws SQLException {
        first(connection, statement());
    }

    /** Makes the history, and so has what nobody else can have. */
    void make(Connection connection, boolean schemaExists) throws SQLException {
        first(connection, history.create(schemaExists));
    }

    private void first(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            if (NOT_FIRST.contains(e.getSQLState())) {
                throw new SQLException("another migration of schema '" + schema + "' is under way", ELSEWHERE, e);
            }
            throw e;
        }
    }
}
