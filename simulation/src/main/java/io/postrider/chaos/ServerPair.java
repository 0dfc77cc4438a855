package io.postrider.chaos;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A primary and a standby that has whatever was committed, since a commit returns only when the standby has it on its
 * disk. Everybody reaches the primary over one wire, which leads to the standby once that has been promoted.
 */
final class ServerPair implements Postgres {
    /** Debian's, because the one on the class path has no pg_basebackup. */
    private static final Path HOME = Path.of("/usr/lib/postgresql/15");

    private static final String STANDBY = "standby";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Parts parts;
    private final EmbeddedPostgres primary;
    private final EmbeddedPostgres standby;
    private final Wire wire;

    private ServerPair(Parts parts, HarnessThreads threads) throws Exception {
        this.parts = parts;
        Path folder = parts.folder();
        primary = parts.opened(EmbeddedPostgres.start(config(folder.resolve("primary"))));
        Path copy = copyOf(folder, primary);
        standby = parts.opened(EmbeddedPostgres.start(config(copy)));
        wire = parts.opened(Wire.to(primary.port(), threads));
        execute(primary, "ALTER SYSTEM SET synchronous_standby_names = '" + STANDBY + "'");
        execute(primary, "SELECT pg_reload_conf()");
        Pause.require("the standby", PATIENCE, this::isSynchronous);
    }

    static ServerPair start(HarnessThreads threads) throws Exception {
        Parts parts = new Parts();
        try {
            return new ServerPair(parts, threads);
        } catch (Exception e) {
            parts.close();
            throw e;
        }
    }

    private static EmbeddedPostgresConfig config(Path folder) {
        return EmbeddedPostgresConfig.in(folder).home(HOME).setting("cluster_name", STANDBY);
    }

    /** What pg_basebackup makes, in a folder such as the launcher has left it. */
    private static Path copyOf(Path folder, EmbeddedPostgres server) throws IOException, InterruptedException {
        Path copy = Files.createDirectory(folder.resolve("standby"));
        Files.createFile(copy.resolve("lock"));
        Files.copy(folder.resolve("primary").resolve("password"), copy.resolve("password"));
        Path log = folder.resolve("pg_basebackup.log");
        ProcessBuilder backup = new ProcessBuilder(
                        HOME.resolve("bin/pg_basebackup").toString(),
                        "--pgdata=" + copy.resolve("data"),
                        "--host=127.0.0.1",
                        "--port=" + server.port(),
                        "--username=" + server.user(),
                        "--no-password",
                        "--checkpoint=fast",
                        "--write-recovery-conf")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        backup.environment().put("PGPASSWORD", server.password());
        if (backup.start().waitFor() != 0) {
            throw new IOException("pg_basebackup failed: " + Files.readString(log));
        }
        return copy;
    }

    @Override
    public Database database() {
        return new Database(wire.port(), primary.user(), primary.password());
    }

    /** Whether a commit waits for the standby by now. */
    boolean isSynchronous() throws SQLException {
        return is(primary, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    }

    /** SIGKILLs the primary and whatever is left of it; from then on nobody reaches it. */
    void killPrimary() throws IOException, InterruptedException {
        Signal.KILL.send(primary.pid());
        wire.fence();
        primary.kill();
    }

    /** Returns when the standby takes writes, and leads everybody to it. */
    void promoteStandby() throws Exception {
        execute(standby, "SELECT pg_promote(false)");
        Pause.require("the promotion", PATIENCE, this::isPromoted);
        wire.leadTo(standby.port());
    }

    /** Whether the standby is a primary by now. */
    boolean isPromoted() throws SQLException {
        return is(standby, "SELECT NOT pg_is_in_recovery()");
    }

    /** Whether no process of the first primary is left that could answer. */
    boolean isPrimaryGone() {
        if (primary.alive()) {
            return false;
        }
        try (Connection connection = direct(primary).connect("harness")) {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** How many connections everybody together has. */
    long openConnections() {
        return wire.openConnections();
    }

    private static Database direct(EmbeddedPostgres server) {
        return new Database(server.port(), server.user(), server.password());
    }

    private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
        try (Connection connection = direct(server).connect("harness");
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static boolean is(EmbeddedPostgres server, String question) throws SQLException {
        try (Connection connection = direct(server).connect("harness");
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Override
    public void close() {
        parts.close();
    }
}
