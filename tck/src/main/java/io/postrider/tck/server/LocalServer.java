package io.postrider.tck.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server from a package, as a process of ours on loopback: it can be killed as hard as a power cut, paused, and
 * started again on the same port with the same data. Not thread-safe.
 */
public final class LocalServer implements AutoCloseable {
    private static final Duration START_WITHIN = Duration.ofSeconds(60);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);

    private final String executable;
    private final String debianPackage;
    private final List<String> arguments;
    private final int port;
    private final Path log;
    private @Nullable Process process;

    /**
     * @param executable the name of the program, or its whole path
     * @param arguments what comes after the name of the program, its port included
     */
    public LocalServer(String executable, String debianPackage, List<String> arguments, int port, Path log) {
        this.executable = executable;
        this.debianPackage = debianPackage;
        this.arguments = List.copyOf(arguments);
        this.port = port;
        this.log = log;
    }

    public int port() {
        return port;
    }

    public long pid() {
        return running().pid();
    }

    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** Starts it, and returns once it takes connections. */
    public LocalServer start() {
        if (isRunning()) {
            throw new IllegalStateException(executable + " runs already, as process " + pid());
        }
        try {
            List<String> command = new java.util.ArrayList<>(List.of(path()));
            command.addAll(arguments);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitPort();
        return this;
    }

    private String path() {
        for (String folder : List.of("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin")) {
            Path candidate = Path.of(folder).resolve(executable);
            if (Files.isExecutable(candidate)) {
                return candidate.toString();
            }
        }
        throw new IllegalStateException(executable + " is needed and was not found: ./test installs it, or"
                + " 'apt-get install " + debianPackage + "'");
    }

    private void awaitPort() {
        long deadline = System.nanoTime() + START_WITHIN.toNanos();
        while (!takesConnections()) {
            if (!isRunning() || System.nanoTime() > deadline) {
                throw new IllegalStateException(executable + " did not start on port " + port + ":\n" + logTail());
            }
            pause();
        }
    }

    private boolean takesConnections() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends it as a power cut would: it does nothing any more, not even write what it has in memory. */
    public void kill() {
        await(running().destroyForcibly());
    }

    /** Asks it to end, and waits until it has. */
    public void stop() {
        if (isRunning()) {
            Process ending = running();
            ending.destroy();
            await(ending);
        }
    }

    /** Stops its time: connections stay open, and nothing is answered. */
    public void pauseProcess() {
        signal("-STOP");
    }

    public void resumeProcess() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            await(new ProcessBuilder("kill", signal, Long.toString(pid())).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(Process ending) {
        try {
            if (!ending.waitFor(STOP_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
                ending.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a process ended", e);
        }
    }

    /** What it said last. */
    public String logTail() {
        try {
            List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private Process running() {
        if (process == null || !process.isAlive()) {
            throw new IllegalStateException(executable + " does not run");
        }
        return process;
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a server started", e);
        }
    }

    @Override
    public void close() {
        if (isRunning()) {
            kill();
        }
    }
}
