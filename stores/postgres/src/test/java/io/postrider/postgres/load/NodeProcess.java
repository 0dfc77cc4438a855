package io.postrider.postgres.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own that runs one of this package's main classes. */
final class NodeProcess implements AutoCloseable {
    private static final long STOP_SECONDS = 60;

    private final Process process;
    private final BufferedReader output;

    private NodeProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts it and returns at once. */
    static NodeProcess start(Class<?> main, Database database, List<String> options, Path ledger) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), ledger.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(database.environment());
        return new NodeProcess(builder.start());
    }

    /** Waits until it prints this line. */
    void awaitLine(String expected) throws IOException {
        String line = output.readLine();
        while (line != null && !line.equals(expected)) {
            line = output.readLine();
        }
        if (line == null) {
            throw new IOException("The node ended before it said '" + expected + "'");
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL: it has no chance to hand anything back. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Ends its input, upon which it stops by itself. */
    void stop() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("The node did not stop within " + STOP_SECONDS + " s");
        }
        if (process.exitValue() != 0) {
            throw new IOException("The node ended with status " + process.exitValue());
        }
    }

    /** Whatever happened before, it is gone afterwards. */
    @Override
    public void close() {
        kill();
    }
}
