package io.postrider.cli;

import io.postrider.postgres.PostgresMigrator;
import io.postrider.postgres.PostgresStoreConfig;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Brings a schema up to date, or prints what would. */
@Command(
        name = "migrate",
        description = "Creates the schema or brings it up to date. Several may run at once.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done, or nothing to do",
            "1:the schema does not fit this version, or a migration failed and left nothing behind",
            "2:wrong options, or no database was named",
            "3:no connection to PostgreSQL, also for a wrong password or a missing database",
            "4:the role lacks a right"
        })
final class MigrateCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions database;

    @ArgGroup
    private @Nullable Instead instead;

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before a command runs
    private CommandLine.Model.CommandSpec spec;

    /** One at most. */
    static final class Instead {
        @Option(names = "--dry-run", description = "Say what would run, and run nothing.")
        private boolean dryRun;

        @Option(
                names = "--sql",
                description = "Print a script for psql, and run nothing. Without a database: the script from nothing.")
        private boolean sql;
    }

    MigrateCommand(Map<String, String> environment) {
        this.database = new DatabaseOptions(environment);
    }

    @Override
    public Integer call() {
        PostgresStoreConfig config = database.config();
        PrintWriter out = spec.commandLine().getOut();
        if (instead != null && instead.sql) {
            out.print(script(config));
        } else if (instead != null && instead.dryRun) {
            dryRun(PostgresMigrator.on(database.require(), config), config, out);
        } else {
            apply(PostgresMigrator.on(database.require(), config), config, out);
        }
        out.flush();
        return ExitCode.DONE.number();
    }

    private String script(PostgresStoreConfig config) {
        Optional<DataSource> found = database.find();
        return found.isPresent() ? PostgresMigrator.on(found.get(), config).script() : PostgresMigrator.script(config);
    }

    private static void dryRun(PostgresMigrator migrator, PostgresStoreConfig config, PrintWriter out) {
        List<String> pending = migrator.pending();
        if (pending.isEmpty()) {
            out.println("Schema '" + config.schema() + "' has version " + migrator.schemaVersion() + ": nothing to do");
        } else {
            out.println("Schema '" + config.schema() + "' has version " + migrator.schemaVersion() + ", would run:");
            pending.forEach(out::println);
        }
    }

    private static void apply(PostgresMigrator migrator, PostgresStoreConfig config, PrintWriter out) {
        migrator.apply().forEach(applied -> out.println("applied " + applied));
        out.println("Schema '" + config.schema() + "' has version " + migrator.schemaVersion());
    }
}
