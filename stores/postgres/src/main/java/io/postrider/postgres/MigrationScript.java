package io.postrider.postgres;

import java.util.List;

/** Migrations as a script for psql, for a database administrator who applies them by hand. */
final class MigrationScript {
    private final PostgresStoreConfig config;
    private final SchemaHistory history;

    MigrationScript(PostgresStoreConfig config) {
        this.config = config;
        this.history = new SchemaHistory(config);
    }

    /**
     * As the owner of the schema, whatever member of that role is connected, a superuser too: what a migration makes
     * belongs to the owner.
     */
    static String owner(PostgresStoreConfig config) {
        return "SELECT pg_catalog.set_config('role', pg_catalog.pg_get_userbyid(nspowner), true)"
                + " FROM pg_catalog.pg_namespace WHERE nspname = '" + config.schema()
                + "' AND pg_catalog.pg_has_role(current_user, nspowner, 'MEMBER')";
    }

    String of(String before, List<Migration> migrations) {
        if (migrations.isEmpty()) {
            return "-- Schema " + config.schema() + " is up to date.\n";
        }
        StringBuilder script = new StringBuilder("\\set ON_ERROR_STOP on\nBEGIN;\n")
                .append(LogChecks.encodingCheck())
                .append(owner(config))
                .append(";\n\n")
                .append(before);
        if (before.isEmpty()) { // a history that the script makes is its own
            script.append(new MigrationLock(config).statement()).append(" NOWAIT;\n");
        }
        for (Migration migration : migrations) {
            script.append("\n-- ---- ").append(migration.file()).append(" ----\n");
            script.append(history.note(migration)).append(";\n");
            script.append(migration.sql(config)).append('\n');
            script.append(history.took(migration)).append(";\n");
        }
        return script.append("\nCOMMIT;\n").toString();
    }
}
