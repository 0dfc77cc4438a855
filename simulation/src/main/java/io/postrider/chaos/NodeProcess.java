package io.postrider.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An engine node in a JVM of its own. */
final class NodeProcess implements AutoCloseable {
    private static final long STOP_SECONDS = 40;
    /** Small and quick to start: several share a machine, and none does much. */
    private static final List<String> OPTIONS = List.of(
            "-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info");

    private final String name;
    private final Process process;
    private volatile boolean endsByUs;

    private NodeProcess(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    /** Starts it and returns at once; what it logs is appended to a file of its name in the folder. */
    static NodeProcess start(String name, List<String> program, Database database, Path logs) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(program);
        Path log = logs.resolve(name + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(database.environment());
        return new NodeProcess(name, builder.start());
    }

    String name() {
        return name;
    }

    /** Returns when its subscription runs. */
    void awaitReady() throws IOException {
        var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (!DeliveryNode.READY.equals(output.readLine())) {
            throw new IOException(name + " ended before it was ready; its log says why");
        }
    }

    /** SIGKILL: it has no chance to hand anything back. */
    void kill() {
        endsByUs = true;
        process.destroyForcibly();
        process.onExit().join();
    }

    /** SIGSTOP: it stands still, and its connections with it. */
    void freeze() throws IOException, InterruptedException {
        Signal.STOP.send(process.pid());
    }

    /** Whether it stands still, by the word of the kernel. */
    boolean frozen() throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        return stat.startsWith(" T ", stat.lastIndexOf(')') + 1);
    }

    /** SIGCONT: it goes on as if nothing had been. */
    void thaw() throws IOException, InterruptedException {
        Signal.CONT.send(process.pid());
    }

    /** SIGTERM, upon which it hands its lanes back and ends by itself. */
    void terminate() throws IOException, InterruptedException {
        askToStop();
        awaitEnd();
    }

    /** SIGTERM alone. */
    void askToStop() throws IOException, InterruptedException {
        endsByUs = true;
        Signal.TERM.send(process.pid());
    }

    void awaitEnd() throws IOException, InterruptedException {
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException(name + " did not stop within " + STOP_SECONDS + " s");
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Whether it was this signal that ended it. */
    boolean endedBy(Signal signal) {
        return !alive() && process.exitValue() == signal.exitStatus();
    }

    /** Whether it is gone although nobody here asked for it. */
    boolean endedByItself() {
        return !alive() && !endsByUs;
    }

    /** Whatever happened before, it is gone afterwards. */
    @Override
    public void close() {
        kill();
    }
}
