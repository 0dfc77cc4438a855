package io.postrider.benchmarks.brokers;

import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.tck.server.Folders;
import io.postrider.tck.server.NatsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** A broker in a process of its own, with its data in a temporary folder. Both end with it, and with this process. */
public final class LocalBroker implements AutoCloseable {
    /**
     * The broker of the tests is soon taken for dead, by itself too, which a machine under load must not cause. And
     * what a round has left is removed before the disk writes it: for a minute, that would cost whoever comes next.
     */
    private static final Map<String, String> CALM = Map.of(
            "broker.session.timeout.ms",
            "30000",
            "broker.heartbeat.interval.ms",
            "2000",
            "log.segment.delete.delay.ms",
            "100");

    private final String address;
    private final Runnable stop;
    private final Path folder;
    private final AtomicBoolean ended = new AtomicBoolean();

    private LocalBroker(String address, Runnable stop, Path folder) {
        this.address = address;
        this.stop = stop;
        this.folder = folder;
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "end-broker"));
    }

    public static LocalBroker nats() throws IOException {
        return start(folder -> {
            NatsServer server = NatsServer.in(folder).start();
            return new LocalBroker(server.url(), server::close, folder);
        });
    }

    public static LocalBroker kafka() throws IOException {
        return start(folder -> {
            KafkaBroker broker = KafkaBroker.startForLoad(folder, CALM);
            return new LocalBroker(broker.address(), broker::close, folder);
        });
    }

    private static LocalBroker start(Function<Path, LocalBroker> starting) throws IOException {
        Path folder = Files.createTempDirectory("postrider-bench-broker");
        try {
            return starting.apply(folder);
        } catch (RuntimeException e) {
            Folders.delete(folder);
            throw e;
        }
    }

    public String address() {
        return address;
    }

    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            stop.run();
            Folders.delete(folder);
        }
    }
}
