package io.postrider.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which migrations a schema has, in its table {@code migration_history}. Everyone who may use the schema may read the
 * table: nothing in it is secret, and roles without any other right compare themselves with it.
 */
final class SchemaHistory {
    static final String TABLE = "migration_history";
    /** Tables that only development versions before 0.1 have made: a log, and a history that another tool kept. */
    private static final Set<String> UNRELEASED_TABLES = Set.of("outbox_log", "postrider_schema_history");

    private final PostgresStoreConfig config;

    SchemaHistory(PostgresStoreConfig config) {
        this.config = config;
    }

    /** A migration that the schema has. */
    record Applied(int version, String description, int checksum, int serves) {}

    /** What is there to read the history from. */
    enum Kept {
        /** No schema, or one without anything of Postrider. */
        NOWHERE,
        /** In {@link #TABLE}. */
        HERE,
        /** A log, but no history. */
        LOST,
        /** Tables of a development version before 0.1, but no history that this version reads. */
        UNRELEASED
    }

    /** From the catalog, which every role may read, also one that may not use the schema. */
    Kept kept(Connection connection) throws SQLException {
        String sql = """
                SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = ? AND (c.relname IN (?, 'event_log') OR c.relname = ANY (?))
                """;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, config.schema());
            select.setString(2, TABLE);
            select.setArray(3, connection.createArrayOf("text", UNRELEASED_TABLES.toArray()));
            List<String> tables = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    tables.add(row.getString(1));
                }
            }
            if (tables.contains(TABLE)) {
                return Kept.HERE;
            }
            if (tables.stream().anyMatch(UNRELEASED_TABLES::contains)) {
                return Kept.UNRELEASED;
            }
            return tables.isEmpty() ? Kept.NOWHERE : Kept.LOST;
        }
    }

    List<Applied> read(Connection connection) throws SQLException {
        return switch (kept(connection)) {
            case NOWHERE -> List.of();
            case HERE ->
                applied(
                        connection,
                        "SELECT version, description, checksum, serves FROM " + config.schema() + "." + TABLE
                                + " ORDER BY version");
            case LOST ->
                throw new IllegalStateException("schema '" + config.schema() + "' has a log, but no table " + TABLE
                        + ", so nobody knows its version: restore that table from a backup, or choose another schema");
            case UNRELEASED -> throw new IllegalStateException(SchemaComparison.unreleased(config.schema()));
        };
    }

    private static List<Applied> applied(Connection connection, String sql) throws SQLException {
        List<Applied> applied = new ArrayList<>();
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                applied.add(new Applied(row.getInt(1), row.getString(2), row.getInt(3), row.getInt(4)));
            }
        }
        return applied;
    }

    /** Creates the schema and the table. A role that may not create schemas migrates one that was made for it. */
    String create(boolean schemaExists) {
        return (schemaExists ? "" : "CREATE SCHEMA " + config.schema() + ";\n") + createTable();
    }

    /**
     * The same for a script, which may run where the schema has been made meanwhile. CREATE SCHEMA IF NOT EXISTS would
     * ask for the right to create schemas also where there is nothing to create.
     */
    String createIfMissing() {
        return """
                DO $$
                BEGIN
                    IF to_regnamespace('{schema}') IS NULL THEN
                        CREATE SCHEMA {schema};
                    END IF;
                END
                $$;
                """.replace("{schema}", config.schema()) + createTable();
    }

    private String createTable() {
        return """
                CREATE TABLE {schema}.{table} (
                    version     integer     PRIMARY KEY,
                    description text        NOT NULL,
                    checksum    integer     NOT NULL,
                    serves      integer     NOT NULL,
                    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
                    applied_by  text        NOT NULL DEFAULT session_user,
                    ms          bigint
                );
                GRANT SELECT ON {schema}.{table} TO PUBLIC;
                COMMENT ON TABLE {schema}.{table} IS
                    'Migrations of this schema. The oldest code that it serves is max(serves).';
                """.replace("{schema}", config.schema()).replace("{table}", TABLE);
    }

    /** Noted before its statements run: a second run of a script fails here, with nothing done. */
    String note(Migration migration) {
        return "INSERT INTO " + config.schema() + "." + TABLE + " (version, description, checksum, serves) VALUES ("
                + migration.version() + ", '" + migration.description() + "', " + migration.checksum() + ", "
                + migration.serves() + ")";
    }

    /** Notes the time that a migration took. */
    String took(Migration migration) {
        return "UPDATE " + config.schema() + "." + TABLE
                + " SET ms = date_part('epoch', clock_timestamp() - applied_at) * 1000 WHERE version = "
                + migration.version();
    }

    static String names(List<Migration> migrations) {
        return migrations.stream().map(Migration::toString).collect(Collectors.joining(", "));
    }
}
