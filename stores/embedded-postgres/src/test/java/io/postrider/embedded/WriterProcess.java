package io.postrider.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A JVM of its own that starts a server and writes numbers, to be killed in the middle of it. */
final class WriterProcess {

    /** Tells a whole line from one that the kill cut off. */
    private static final String END = ";";

    private final Process process;
    private final BufferedReader output;
    private final long postmaster;
    private long last;

    private WriterProcess(Process process, BufferedReader output, long postmaster) {
        this.process = process;
        this.output = output;
        this.postmaster = postmaster;
    }

    static WriterProcess start(Path folder) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Process process = new ProcessBuilder(List.of(
                        java.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        WriterProcess.class.getName(),
                        folder.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        return new WriterProcess(process, output, readNumber(output));
    }

    /** The process id of the server it started. */
    long postmaster() {
        return postmaster;
    }

    /** Waits until this many numbers were acknowledged. */
    void awaitAcknowledged(long count) throws IOException {
        while (last < count) {
            last = readNumber(output);
        }
    }

    /** Kills the JVM, and returns the last number it had acknowledged. */
    long kill() throws IOException {
        Launch.signal("KILL", process.pid());
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            last = line.endsWith(END) ? number(line) : last;
        }
        process.onExit().join();
        return last;
    }

    private static long readNumber(BufferedReader output) throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("The writer ended too early");
        }
        return number(line);
    }

    private static long number(String line) {
        return Long.parseLong(line.substring(0, line.length() - END.length()));
    }

    public static void main(String[] arguments) throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(Path.of(arguments[0])));
        System.out.println(server.pid() + END);
        try (Connection connection = Numbers.connect(server)) {
            Numbers.create(connection);
            for (long number = 1; ; number++) {
                Numbers.add(connection, number);
                System.out.println(number + END);
            }
        } catch (SQLException e) {
            System.exit(1);
        }
    }
}
