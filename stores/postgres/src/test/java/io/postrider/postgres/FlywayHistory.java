package io.postrider.postgres;

import java.sql.SQLException;
import java.util.List;

/** A schema at version 10 as Flyway 13 has left it, to the letter of its history. */
final class FlywayHistory {
    private static final int LAST = 10;

    private FlywayHistory() {}

    static void make(TestDatabase database) throws SQLException {
        List<Migration> known = Migration.known().stream()
                .filter(migration -> migration.version() <= LAST)
                .toList();
        new PostgresMigrator(new Jdbc(database.dataSource(), database.schema()), database.config(), known).apply();
        database.execute("DROP TABLE {migration_history}");
        database.execute("""
                CREATE TABLE {postrider_schema_history} (
                    installed_rank int NOT NULL PRIMARY KEY, version varchar(50), description varchar(200) NOT NULL,
                    type varchar(20) NOT NULL, script varchar(1000) NOT NULL, checksum int,
                    installed_by varchar(100) NOT NULL, installed_on timestamp NOT NULL DEFAULT now(),
                    execution_time int NOT NULL, success boolean NOT NULL)
                """);
        database.execute("""
                INSERT INTO {postrider_schema_history}
                VALUES (0, NULL, '<< Flyway Schema Creation >>', 'SCHEMA', '"x"', NULL, 'postgres', now(), 0, true)
                """);
        row(database, 1, "log cursors and deliveries", 1579586868, 62);
        row(database, 2, "gaps and stricter types", 48617477, 5);
        row(database, 3, "schedules and tallies", -1795655681, 16);
        row(database, 4, "tasks", -1590598387, 7);
        row(database, 5, "processed", 1781501413, 37);
        row(database, 6, "retention", -1136555837, 12);
        row(database, 7, "operations", 901199936, 20);
        row(database, 8, "search", 1316140641, 39);
        row(database, 9, "received", 1915971865, 40);
        row(database, 10, "seals", 1049243743, 8);
    }

    private static void row(TestDatabase database, int version, String description, int checksum, int ms)
            throws SQLException {
        database.execute("INSERT INTO {postrider_schema_history} VALUES (" + version + ", '" + version + "', '"
                + description + "', 'SQL', 'V" + version + "__" + description.replace(' ', '_') + ".sql', " + checksum
                + ", 'postgres', now(), " + ms + ", true)");
    }
}
