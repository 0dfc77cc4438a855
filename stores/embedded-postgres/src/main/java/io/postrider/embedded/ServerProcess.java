package io.postrider.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The postmaster that this launcher started. */
final class ServerProcess {

    /** Somebody may take a free port between our look at it and PostgreSQL's. */
    private static final int FREE_PORT_ATTEMPTS = 3;

    private final Process process;
    private final int port;
    private final FolderProcesses processes;
    private final Duration stopTimeout;

    private ServerProcess(Process process, int port, FolderProcesses processes, Duration stopTimeout) {
        this.process = process;
        this.port = port;
        this.processes = processes;
        this.stopTimeout = stopTimeout;
    }

    /** Starts the server and returns once it accepts connections. */
    static ServerProcess start(Path binaries, ServerFolder folder, EmbeddedPostgresConfig config) {
        long deadline = System.nanoTime() + config.stopTimeout().toNanos();
        int portsTaken = 0;
        while (true) {
            int port = Port.choose(config.port());
            try {
                return startOn(port, binaries, folder, config);
            } catch (EmbeddedPostgresException e) {
                if (isLeftBehind(e)) {
                    waitForOthers(e, deadline);
                } else if (config.port() != 0 || Port.isFree(port) || ++portsTaken == FREE_PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static void waitForOthers(EmbeddedPostgresException failure, long deadline) {
        if (System.nanoTime() >= deadline) {
            throw failure;
        }
        if (!Await.pause()) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    /** A process that a killed server had forked a moment before goes by itself, and keeps its memory until then. */
    private static boolean isLeftBehind(EmbeddedPostgresException failure) {
        return String.valueOf(failure.getMessage()).contains("pre-existing shared memory block");
    }

    private static ServerProcess startOn(int port, Path binaries, ServerFolder folder, EmbeddedPostgresConfig config) {
        try {
            ServerLog log = ServerLog.open(folder.log());
            Process process = Launch.detached(binaries.resolve("bin/postgres"), arguments(port, folder, config))
                    .redirectErrorStream(true)
                    .redirectOutput(log.appended())
                    .start();
            ServerProcess server =
                    new ServerProcess(process, port, new FolderProcesses(folder.data()), config.stopTimeout());
            server.awaitReady(new Readiness(folder, port, config), log);
            return server;
        } catch (IOException e) {
            throw new EmbeddedPostgresException("PostgreSQL could not be started in " + folder.path() + ": " + e, e);
        }
    }

    private void awaitReady(Readiness readiness, ServerLog log) {
        try {
            readiness.await(this::alive, log);
        } catch (RuntimeException e) {
            stop();
            throw e;
        }
    }

    private static List<String> arguments(int port, ServerFolder folder, EmbeddedPostgresConfig config) {
        List<String> arguments = new ArrayList<>(List.of("-D", folder.data().toString()));
        Readiness.DURABILITY.forEach(name -> add(arguments, name, "on"));
        config.settings().forEach((name, value) -> add(arguments, name, value));
        add(arguments, "listen_addresses", "127.0.0.1");
        add(arguments, "unix_socket_directories", "");
        add(arguments, "logging_collector", "off");
        add(arguments, "lc_messages", "C"); // what the server says is read here
        add(arguments, "port", Integer.toString(port));
        return arguments;
    }

    private static void add(List<String> arguments, String name, String value) {
        arguments.add("-c");
        arguments.add(name + "=" + value);
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    void stop() {
        processes.stop(stopTimeout);
        reap();
    }

    void kill() {
        processes.kill(stopTimeout);
        reap();
    }

    /** A process that was stopped before it became postgres is not among those of the folder. */
    private void reap() {
        process.destroyForcibly();
        Await.until(() -> !process.isAlive(), stopTimeout);
    }
}
