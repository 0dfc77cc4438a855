package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.brokers.BrokerContender;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A {@link DrainMain} as seen from here. Each contender has a JVM of its own, because a JVM compiles code for all it
 * has seen: beside others that use the same driver and pool in other ways, everybody is measured slower than alone, and
 * the fastest most of all. It does nothing between its rounds.
 */
final class DrainProcess implements Contender, AutoCloseable {
    private static final int STOP_SECONDS = 30;

    private final Process process;
    private final BufferedReader told;
    private final PrintStream asked;
    private final String label;
    private final String how;

    private DrainProcess(Process process) throws IOException {
        this.process = process;
        this.told = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.asked = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.label = next(DrainMain.LABEL);
        this.how = next(DrainMain.HOW);
        next(DrainMain.READY);
    }

    /** Starts one and waits until its first round can begin. */
    static DrainProcess start(Database database, String contender, int events) throws IOException {
        return start(database, List.of(contender, Integer.toString(events)));
    }

    /** Starts one that has to do with the broker at this address. */
    static DrainProcess start(Database database, BrokerContender contender, int events, String broker)
            throws IOException {
        return start(database, List.of(contender.name(), Integer.toString(events), broker));
    }

    private static DrainProcess start(Database database, List<String> arguments) throws IOException {
        Process process = JavaProcess.start(database, DrainMain.class, arguments);
        try {
            return new DrainProcess(process);
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public String how() {
        return how;
    }

    @Override
    public double round() throws IOException {
        asked.println();
        return Double.parseDouble(next(DrainMain.RATE));
    }

    /** What follows the word in the next line that begins with it; other lines are its libraries'. */
    private String next(String word) throws IOException {
        for (String line = told.readLine(); line != null; line = told.readLine()) {
            if (line.startsWith(DrainMain.FAILED)) {
                throw new IllegalStateException("a contender's process " + line);
            }
            if (line.startsWith(word)) {
                return line.substring(word.length());
            }
        }
        throw new IllegalStateException("a contender's process ended before it said '" + word.strip() + "'");
    }

    @Override
    public void close() {
        asked.close();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
