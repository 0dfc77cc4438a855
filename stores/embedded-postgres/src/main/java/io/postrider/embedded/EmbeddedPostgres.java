package io.postrider.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server in a local folder, on 127.0.0.1 only, with a password and with durability on.
 *
 * <p>Data survives the end of this process in any form. A server that was orphaned by a killed process is stopped by
 * the next start on its folder; a folder has one launcher at a time. Thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final String DATABASE = "postgres";

    private final Path binaries;
    private final ServerFolder folder;
    private final ServerProcess process;
    private final Runnable afterClose;

    /** The folder is given back, and may have another server in it by now. */
    private boolean ended;

    private boolean cleaned;

    private EmbeddedPostgres(Path binaries, ServerFolder folder, ServerProcess process, Runnable afterClose) {
        this.binaries = binaries;
        this.folder = folder;
        this.process = process;
        this.afterClose = afterClose;
    }

    /** Starts on kept data in this folder (created if missing), on a free port unless one is given. */
    public static EmbeddedPostgres start(EmbeddedPostgresConfig config) {
        return start(config, () -> {});
    }

    /**
     * Starts a throw-away server in a temporary folder, which is deleted at {@link #stop} or when this process ends
     * normally, by SIGTERM or by SIGINT. It is as durable as a kept one unless the settings say otherwise.
     */
    public static EmbeddedPostgres temporary(Map<String, String> settings) {
        Path folder = temporaryFolder();
        ShutdownHook hook = new ShutdownHook();
        EmbeddedPostgresConfig config = EmbeddedPostgresConfig.in(folder);
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            config = config.setting(setting.getKey(), setting.getValue());
        }
        try {
            EmbeddedPostgres server = start(config, () -> {
                FileTree.delete(folder);
                hook.remove();
            });
            hook.add(server::stop);
            return server;
        } catch (RuntimeException e) {
            FileTree.delete(folder);
            throw e;
        }
    }

    private static EmbeddedPostgres start(EmbeddedPostgresConfig config, Runnable afterClose) {
        Path home = config.home();
        Path binaries = home == null ? Binaries.unpacked() : Binaries.installedIn(home);
        ServerFolder folder = ServerFolder.open(config.folder());
        try {
            new FolderProcesses(folder.data()).stopOrphans(config.stopTimeout());
            Cluster.createIfMissing(binaries, folder, config.startTimeout());
            ServerProcess process = ServerProcess.start(binaries, folder, config);
            LOG.info("PostgreSQL {} listens on 127.0.0.1:{}, data in {}", process.pid(), process.port(), folder.data());
            return new EmbeddedPostgres(binaries, folder, process, afterClose);
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("postrider-postgres-");
        } catch (IOException e) {
            throw new UncheckedIOException("No temporary folder for PostgreSQL could be created", e);
        }
    }

    public String jdbcUrl() {
        return jdbcUrl(DATABASE);
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database;
    }

    public String user() {
        return Cluster.SUPERUSER;
    }

    public String password() {
        return folder.password();
    }

    public int port() {
        return process.port();
    }

    /** The process id of the postmaster. */
    public long pid() {
        return process.pid();
    }

    public Path dataDirectory() {
        return folder.data();
    }

    /** The folder of the unpacked programs, with {@code bin}, {@code lib} and {@code share} in it. */
    public Path binaries() {
        return binaries;
    }

    public boolean alive() {
        return process.alive();
    }

    /** Disconnects every client, writes a checkpoint and waits for the end. A second call does nothing. */
    public synchronized void stop() {
        end(process::stop);
        if (!cleaned) {
            afterClose.run();
            cleaned = true;
        }
    }

    /** Ends the server without a checkpoint, as a crash would, and waits: the next start has to recover. */
    public synchronized void kill() {
        end(process::kill);
    }

    private void end(Runnable action) {
        if (!ended) {
            action.run();
            folder.close();
            ended = true;
        }
    }

    @Override
    public void close() {
        stop();
    }
}
