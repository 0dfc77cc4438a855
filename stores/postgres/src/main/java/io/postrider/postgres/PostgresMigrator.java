package io.postrider.postgres;

import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a schema up to date, or says what it lacks. Thread-safe, and safe in any number of processes at once: each
 * migration is one transaction under a lock of the schema's history ({@link MigrationLock}), which ends with that
 * transaction, so one connection is enough and a transaction pooler may be in between.
 */
public final class PostgresMigrator {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresMigrator.class);
    /** How long a migration waits for a table; appends queue behind it meanwhile. */
    private static final String LOCK_TIMEOUT = "1s";
    /** How often a migration that did not get its table tries again. */
    private static final int LOCK_ATTEMPTS = 60;
    /** How long a migration waits for those of other processes. Nobody queues behind it meanwhile. */
    private static final Duration OTHERS_WAIT = Duration.ofMinutes(10);

    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private final Jdbc jdbc;
    private final PostgresStoreConfig config;
    private final List<Migration> known;
    private final Duration othersWait;
    private final SchemaHistory history;
    private final MigrationLock lock;
    private final LogChecks checks;
    private final SearchPathCheck searchPath;

    PostgresMigrator(Jdbc jdbc, PostgresStoreConfig config, List<Migration> known) {
        this(jdbc, config, known, OTHERS_WAIT);
    }

    PostgresMigrator(Jdbc jdbc, PostgresStoreConfig config, List<Migration> known, Duration othersWait) {
        this.jdbc = jdbc;
        this.config = config;
        this.known = known;
        this.othersWait = othersWait;
        this.history = new SchemaHistory(config);
        this.lock = new MigrationLock(config);
        this.checks = new LogChecks(jdbc);
        this.searchPath = new SearchPathCheck(jdbc);
    }

    public static PostgresMigrator on(DataSource dataSource, PostgresStoreConfig config) {
        return new PostgresMigrator(new Jdbc(dataSource, config.schema(), config.lanes()), config, Migration.known());
    }

    /** The version of this code: the highest migration it knows. */
    public static int codeVersion() {
        return new SchemaComparison("", Migration.known(), List.of()).codeVersion();
    }

    /** The version of the schema: its highest migration, 0 where there is none. */
    public int schemaVersion() {
        return compare().schemaVersion();
    }

    /** What {@link #apply} would run, in this order. */
    public List<String> pending() {
        return compare().pending().stream().map(Migration::toString).toList();
    }

    // ---- apply ------------------------------------------------------------------------------------------------------

    /**
     * Runs what the schema lacks, and says what it ran.
     *
     * @throws IllegalStateException if the schema does not serve this code, or was made with other files
     * @throws StoreException if a migration failed: nothing of it is left, those before it are
     */
    public List<String> apply() {
        try {
            return applyAll();
        } catch (StoreException e) {
            throw withHint(e);
        }
    }

    private List<String> applyAll() {
        searchPath.tell();
        checks.refuseKeyword();
        checks.refuseEncoding();
        List<String> applied = new ArrayList<>();
        SchemaComparison comparison = compare();
        while (!comparison.pending().isEmpty()) {
            applyNext().ifPresent(migration -> applied.add(migration.toString()));
            comparison = compare();
        }
        sayIfNewer(comparison);
        jdbc.autocommit(this::checkLanes);
        checks.refuseSequenceBehindLog();
        new Restore(jdbc).rebaseIfRestored();
        return List.copyOf(applied);
    }

    /** The first of what is pending; none if another process was faster. */
    private Optional<Migration> applyNext() {
        long began = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return jdbc.transaction(this::applyUnderLock);
            } catch (StoreException e) {
                if (Jdbc.state(e).equals(MigrationLock.ELSEWHERE)) {
                    waitForOthers(e, attempt, Duration.ofNanos(System.nanoTime() - began));
                } else if (Jdbc.state(e).equals(LOCK_NOT_AVAILABLE)) {
                    waitForTables(e, attempt);
                } else {
                    throw e;
                }
            }
        }
    }

    private void waitForOthers(StoreException failure, int attempt, Duration waited) {
        boolean over = waited.compareTo(othersWait) >= 0;
        if (over || attempt == 1) {
            String holders =
                    jdbc.autocommit(connection -> LockHolders.of(connection, config.schema(), SchemaHistory.TABLE));
            if (over) {
                throw new StoreException(
                        "another migration of schema '" + config.schema() + "' has not ended within "
                                + StoreStart.seconds(othersWait)
                                + ", so this one gave up, and nothing was changed. The lock of its history is held by: "
                                + holders + ". Let that transaction end, and start again",
                        failure);
            }
            LOG.info("Another migration of schema '{}' is waited for: {}", config.schema(), holders);
        }
        Backoff.pause();
    }

    private void waitForTables(StoreException failure, int attempt) {
        if (attempt == 1 || attempt == LOCK_ATTEMPTS) {
            String holders = jdbc.autocommit(connection -> LockHolders.anywhere(connection, config.schema()));
            if (attempt == LOCK_ATTEMPTS) {
                throw new StoreException(
                        failure.getMessage() + ". Locks in schema '" + config.schema() + "' are held by: " + holders,
                        failure);
            }
            LOG.warn(
                    "A migration waits for a lock that another transaction holds; it is tried again for about"
                            + " a minute, appends go on between the tries: {}. Locks are held by: {}",
                    failure.getMessage(),
                    holders);
        }
        Backoff.pause();
    }

    private Optional<Migration> applyUnderLock(Connection connection) throws SQLException {
        execute(connection, MigrationScript.owner(config));
        execute(connection, "SET LOCAL lock_timeout = '" + LOCK_TIMEOUT + "'");
        SchemaHistory.Kept kept = history.kept(connection);
        if (kept == SchemaHistory.Kept.HERE) {
            lock.take(connection);
        }
        List<Migration> pending = compare(connection).pending();
        if (pending.isEmpty()) {
            return Optional.empty();
        }
        if (kept != SchemaHistory.Kept.HERE) {
            lock.make(connection, schemaExists(connection));
        }
        Migration next = pending.get(0);
        execute(connection, history.note(next));
        for (SqlScript.Part part : SqlScript.parts(next.sql(config))) {
            run(connection, next, part);
        }
        execute(connection, history.took(next));
        LOG.info("Schema '{}': applied {}", config.schema(), next);
        return Optional.of(next);
    }

    private void run(Connection connection, Migration migration, SqlScript.Part part) throws SQLException {
        try {
            execute(connection, part.sql());
        } catch (SQLException e) {
            SQLException told = ServerError.withoutDetail(e);
            throw Jdbc.storeFailure(new SQLException(
                    "migration " + migration + " of schema '" + config.schema() + "' failed at the statement in line "
                            + part.line() + " of " + migration.file() + ", nothing of this migration was kept: "
                            + told.getMessage(),
                    told.getSQLState(),
                    told));
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
        }
    }

    private boolean schemaExists(Connection connection) throws SQLException {
        try (var select = connection.prepareStatement("SELECT FROM pg_catalog.pg_namespace WHERE nspname = ?")) {
            select.setString(1, config.schema());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    // ---- validate ---------------------------------------------------------------------------------------------------

    /**
     * Changes nothing in the schema's structure.
     *
     * @throws IllegalStateException if the schema lacks a migration or does not serve this code, with what to do
     */
    public void validate() {
        try {
            validateAll();
        } catch (StoreException e) {
            throw withHint(e);
        }
    }

    private void validateAll() {
        searchPath.tell();
        checks.refuseEncoding();
        SchemaComparison comparison = compare();
        if (!comparison.pending().isEmpty()) {
            String lack = comparison.applied().isEmpty()
                    ? "there is no schema '" + config.schema() + "' of Postrider in this database"
                    : "schema '" + config.schema() + "' lacks " + SchemaHistory.names(comparison.pending());
            throw new IllegalStateException(lack + ", and this store was told not to migrate: run './postrider migrate"
                    + " --schema " + config.schema() + "' as the owner of the schema");
        }
        sayIfNewer(comparison);
        jdbc.autocommit(this::checkLanes);
        checks.checkWhatTheRoleMay();
    }

    private StoreException withHint(StoreException e) {
        if (!Jdbc.state(e).equals(INSUFFICIENT_PRIVILEGE)) {
            return e;
        }
        return new StoreException(
                e.getMessage() + ". Migrate as the owner of schema '" + config.schema()
                        + "' with './postrider migrate --schema " + config.schema() + "'."
                        + " An application without these rights starts with Migrate.VALIDATE, for which it needs USAGE"
                        + " on the schema, or with Migrate.NEVER",
                e);
    }

    private boolean checkLanes(Connection connection) throws SQLException {
        jdbc.lanes().check(connection);
        return true;
    }

    private SchemaComparison compare() {
        return jdbc.autocommit(this::compare);
    }

    private SchemaComparison compare(Connection connection) throws SQLException {
        SchemaComparison comparison = new SchemaComparison(config.schema(), known, history.read(connection));
        comparison.refusal().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        return comparison;
    }

    private static void sayIfNewer(SchemaComparison comparison) {
        if (comparison.newer()) {
            LOG.info(
                    "Schema '{}' has version {}, this code knows up to {}. The schema serves code from version {} on,"
                            + " so this node goes on",
                    comparison.schema(),
                    comparison.schemaVersion(),
                    comparison.codeVersion(),
                    comparison.serves());
        }
    }

    // ---- script -----------------------------------------------------------------------------------------------------

    /** What {@link #apply} would run, as a script for psql; run a second time, the script fails and changes nothing. */
    public String script() {
        return jdbc.autocommit(connection -> {
            boolean here = history.kept(connection) == SchemaHistory.Kept.HERE;
            String before = here ? "" : schemaExists(connection) ? history.create(true) : history.createIfMissing();
            return new MigrationScript(config).of(before, compare(connection).pending());
        });
    }

    /** The script for a database without anything of Postrider, with or without the schema; needs no connection. */
    public static String script(PostgresStoreConfig config) {
        return new MigrationScript(config).of(new SchemaHistory(config).createIfMissing(), Migration.known());
    }
}
