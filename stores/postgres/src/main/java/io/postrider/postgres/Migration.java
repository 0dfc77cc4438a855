package io.postrider.postgres;

import io.postrider.spi.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/** Brings the schema up to date, and refuses one that this code does not know or that cannot be trusted. */
final class Migration {
    private static final String HISTORY = "postrider_schema_history";

    private final DataSource dataSource;
    private final Jdbc jdbc;
    private final PostgresStoreConfig config;

    Migration(DataSource dataSource, Jdbc jdbc, PostgresStoreConfig config) {
        this.dataSource = dataSource;
        this.jdbc = jdbc;
        this.config = config;
    }

    void run() {
        jdbc.autocommit(connection -> connection.isValid(5));
        Flyway flyway = flyway(dataSource, config).load();
        refuseNewerSchema(flyway);
        try {
            flyway.migrate();
        } catch (FlywayException e) {
            throw new StoreException("schema '" + config.schema() + "' cannot be migrated: " + e.getMessage(), e);
        }
        jdbc.autocommit(this::refuseSequenceBehindLog);
        new Restore(jdbc).rebaseIfRestored();
    }

    static FluentConfiguration flyway(DataSource dataSource, PostgresStoreConfig config) {
        return Flyway.configure(Migration.class.getClassLoader())
                .dataSource(dataSource)
                .schemas(config.schema())
                .table(HISTORY)
                .locations("classpath:io/postrider/postgres/migrations")
                .placeholders(Map.of("schema", config.schema(), "segment", Long.toString(config.segmentSize())));
    }

    private void refuseNewerSchema(Flyway flyway) {
        MigrationVersion known = MigrationVersion.EMPTY;
        MigrationVersion applied = MigrationVersion.EMPTY;
        for (MigrationInfo info : flyway.info().all()) {
            if (info.getVersion() == null) {
                continue;
            }
            if (info.getState().isResolved()) {
                known = max(known, info.getVersion());
            }
            if (info.getState().isApplied()) {
                applied = max(applied, info.getVersion());
            }
        }
        if (applied.compareTo(known) > 0) {
            throw new IllegalStateException("schema '" + config.schema() + "' has version " + applied
                    + ", this code knows up to " + known + ": run a newer Postrider");
        }
    }

    private static MigrationVersion max(MigrationVersion one, MigrationVersion other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** Events that are drawn a position some other event has already would be lost on readers. */
    private boolean refuseSequenceBehindLog(Connection connection) throws SQLException {
        String sql = jdbc.sql("""
                SELECT (SELECT max(o.position) FROM generate_series(0, 15) AS l (lane) CROSS JOIN LATERAL (
                            SELECT position FROM {outbox_log} WHERE lane = l.lane ORDER BY position DESC LIMIT 1) o),
                       (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {outbox_position})
                """);
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            long newest = row.getLong(1);
            long drawn = row.getLong(2);
            if (newest > drawn) {
                throw new IllegalStateException("the sequence " + jdbc.sql("{outbox_position}") + " is at " + drawn
                        + ", behind the log, whose newest event is at " + newest
                        + ": new events would not be seen. Set it with SELECT setval('"
                        + jdbc.sql("{outbox_position}") + "', " + newest + ")");
            }
            return true;
        }
    }
}
