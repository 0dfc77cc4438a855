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

    /** Held until the transaction ends, and no longer: sessions behind a transaction pooler change hands. */
    static String lock(PostgresStoreConfig config) {
        return "SELECT pg_advisory_xact_lock(hashtextextended('postrider migration of " + config.schema() + "', 0))";
    }

    String of(String before, List<Migration> migrations) {
        if (migrations.isEmpty()) {
            return "-- Schema " + config.schema() + " is up to date.\n";
        }
        StringBuilder script = new StringBuilder("\\set ON_ERROR_STOP on\nBEGIN;\n")
                .append(lock(config))
                .append(";\n\n")
                .append(before);
        for (Migration migration : migrations) {
            script.append("\n-- ---- ").append(migration.file()).append(" ----\n");
            script.append(history.note(migration)).append(";\n");
            script.append(migration.sql(config)).append('\n');
            script.append(history.took(migration)).append(";\n");
        }
        return script.append("\nCOMMIT;\n").toString();
    }
}
