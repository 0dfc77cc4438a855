package io.postrider.postgres;

import io.postrider.spi.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
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
        jdbc.autocommit(this::refuseKeyword);
        try {
            Flyway flyway = flyway(dataSource, config).load();
            refuseNewerSchema(flyway);
            flyway.migrate();
        } catch (FlywayException e) {
            throw new StoreException("schema '" + config.schema() + "' cannot be migrated" + hint(e), e);
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

    /** A pool that is too small has one for whoever asks alone, and waits in vain for the second. */
    private static String hint(FlywayException failure) {
        boolean waited = Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(SQLTransientConnectionException.class::isInstance);
        return (waited ? ", which takes two connections at once: " : ": ") + failure.getMessage();
    }

    /** Statements name the schema as it is. */
    private boolean refuseKeyword(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT 1 FROM pg_get_keywords() WHERE word = ? AND catcode IN ('R', 'T')")) {
            select.setString(1, config.schema());
            try (ResultSet keyword = select.executeQuery()) {
                if (keyword.next()) {
                    throw new IllegalArgumentException(
                            "'" + config.schema() + "' is a keyword of PostgreSQL: give the schema another name");
                }
            }
        }
        return true;
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
