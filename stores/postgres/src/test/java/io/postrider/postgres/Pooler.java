package io.postrider.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.tck.server.Ports;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Debian's pgbouncer before a server, in transaction mode: each transaction may get another of its few connections. */
final class Pooler implements AutoCloseable {
    static final int SIZE = 5;
    private static final String UNPRIVILEGED = "nobody";
    private static final long START_SECONDS = 60;

    private final Process process;
    private final Path log;
    private final EmbeddedPostgres server;
    private final int port;

    private Pooler(Process process, Path log, EmbeddedPostgres server, int port) {
        this.process = process;
        this.log = log;
        this.server = server;
        this.port = port;
    }

    /** Starts it with its files in this folder, and waits until it lets clients in. */
    static Pooler start(EmbeddedPostgres server, Path folder) throws IOException {
        int port = Ports.free();
        Path users = folder.resolve("users.txt");
        Path config = folder.resolve("pgbouncer.ini");
        Path log = folder.resolve("pgbouncer.log");
        Files.writeString(users, "\"" + server.user() + "\" \"" + server.password() + "\"\n");
        Files.writeString(config, """
                [databases]
                postgres = host=127.0.0.1 port=%d dbname=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = scram-sha-256
                auth_file = %s
                pool_mode = transaction
                default_pool_size = %d
                ignore_startup_parameters = extra_float_digits
                """.formatted(server.port(), port, users, SIZE));
        List<String> command = new ArrayList<>(List.of(program()));
        if (isRoot()) {
            giveAway(folder, users, config);
            command.addAll(List.of("-u", UNPRIVILEGED));
        }
        command.add(config.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Pooler pooler = new Pooler(process, log, server, port);
        pooler.awaitReady();
        return pooler;
    }

    /** It may be where only root's PATH leads. */
    private static String program() {
        return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
                .map(folder -> Path.of(folder, "pgbouncer"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(
                        () -> new AssertionError("pgbouncer is needed for this test: run ./test, which installs it,"
                                + " or on Debian 'apt-get install pgbouncer'"))
                .toString();
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** It refuses to run as root, and the user it becomes has to read these. */
    private static void giveAway(Path... paths) throws IOException {
        for (Path path : paths) {
            Files.setOwner(
                    path, path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(UNPRIVILEGED));
        }
    }

    private void awaitReady() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Connection connection = DriverManager.getConnection(url(), server.user(), server.password())) {
                return;
            } catch (SQLException e) {
                if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                    close();
                    throw new IOException("pgbouncer lets nobody in: " + Files.readString(log), e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    /** Without named prepared statements, which this version would send to a connection that does not know them. */
    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?prepareThreshold=0";
    }

    HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setUsername(server.user());
        config.setPassword(server.password());
        config.setMaximumPoolSize(10);
        return new HikariDataSource(config);
    }

    /** Ends the process that was started here, and no other. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
