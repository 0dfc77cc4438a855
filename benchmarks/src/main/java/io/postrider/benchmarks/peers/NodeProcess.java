package io.postrider.benchmarks.peers;

import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A {@link NodeMain} as seen from here: when it entered the handler of which event. Thread-safe. */
public final class NodeProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final Map<Long, Long> handled = new ConcurrentHashMap<>();
    private final CountDownLatch ready = new CountDownLatch(1);

    private NodeProcess(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "reports of node " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts one and waits until it delivers. */
    public static NodeProcess start(Database database, Carrier carrier, Tuning tuning, NodeMain.Conduct conduct)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of(carrier.name(), conduct.name()));
        arguments.addAll(tuning.arguments());
        NodeProcess node = new NodeProcess(JavaProcess.start(database, NodeMain.class, arguments));
        if (!node.ready.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            node.close();
            throw new IllegalStateException("a node's process was not ready within " + PATIENCE);
        }
        return node;
    }

    /** By the number of the event; by the wall clock, in nanoseconds. */
    public Map<Long, Long> handled() {
        return handled;
    }

    /** Ends it as a crash would, with SIGKILL, and waits until it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            // It was killed: nothing more will come.
        }
    }

    private void take(String line) {
        if (line.equals(NodeMain.READY)) {
            ready.countDown();
        } else if (line.startsWith(NodeMain.HANDLED)) {
            String[] words = line.split(" ", 3);
            handled.putIfAbsent(Long.parseLong(words[1]), Long.parseLong(words[2]));
        }
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
