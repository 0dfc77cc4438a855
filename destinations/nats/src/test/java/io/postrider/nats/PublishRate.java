package io.postrider.nats;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.Nats;
import io.nats.client.impl.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination.Dispatch;
import io.postrider.destination.Outcome;
import io.postrider.tck.server.NatsServer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/**
 * By hand: how fast the destination publishes beside the client library alone, with the same window and payload, taking
 * turns on one server.
 */
final class PublishRate {
    private static final int EVENTS = 40_000;
    private static final int ROUNDS = 5;
    private static final int WINDOW = 1_000;
    private static final String PAYLOAD = "{\"text\":\"" + "x".repeat(1_000) + "\"}";

    private PublishRate() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("publish-rate");
        try (NatsServer server = NatsServer.in(folder).start();
                JetStreamDestination destination =
                        JetStreamDestination.start(JetStreamConfig.of(Servers.at(server.url()))
                                .window(WINDOW)
                                .batch(Integer.getInteger("batch", 64))
                                .streams(Streams.create(StreamSpec.of("ORDERS", "orders.>"))))) {
            double raw = 0;
            double ours = 0;
            for (int round = 0; round < ROUNDS; round++) {
                long cpu = cpuNanos();
                double rawRate = raw(server.url());
                long rawCpu = cpuNanos() - cpu;
                double ourRate = ours(destination);
                long ourCpu = cpuNanos() - cpu - rawCpu;
                System.out.printf(
                        "raw %.0f/s, destination %.0f/s, ratio %.2f; CPU in this process %.1f and %.1f us each%n",
                        rawRate, ourRate, ourRate / rawRate, rawCpu / 1e3 / EVENTS, ourCpu / 1e3 / EVENTS);
                if (round > 0) { // the first one warms up
                    raw += rawRate;
                    ours += ourRate;
                }
            }
            System.out.printf("mean ratio %.2f%n", ours / raw);
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static double raw(String url) throws Exception {
        byte[] body = PAYLOAD.getBytes(StandardCharsets.UTF_8);
        try (Connection connection = Nats.connect(url)) {
            JetStream jetStream = connection.jetStream();
            Semaphore window = new Semaphore(WINDOW);
            long began = System.nanoTime();
            for (int i = 0; i < EVENTS; i++) {
                window.acquire();
                Headers headers =
                        new Headers().put("Nats-Msg-Id", UUID.randomUUID().toString());
                var unused = jetStream
                        .publishAsync("orders.placed", headers, body)
                        .whenComplete((ack, failure) -> window.release());
            }
            window.acquire(WINDOW);
            return EVENTS / ((System.nanoTime() - began) / 1e9);
        }
    }

    private static double ours(JetStreamDestination destination) throws Exception {
        int batch = destination.profile().batch();
        List<List<Dispatch>> batches = new ArrayList<>();
        for (int i = 0; i < EVENTS; i += batch) {
            List<Dispatch> some = new ArrayList<>();
            for (int j = 0; j < batch; j++) {
                StoredEvent event = Letters.letter("orders.placed", PAYLOAD, io.postrider.Headers.NONE);
                some.add(new Dispatch("orders", event, 1));
            }
            batches.add(some);
        }
        Semaphore window = new Semaphore(WINDOW);
        long began = System.nanoTime();
        for (List<Dispatch> some : batches) {
            window.acquire(batch);
            destination.dispatch(some).whenComplete((outcomes, failure) -> {
                if (!outcomes.stream().allMatch(Outcome.Delivered.class::isInstance)) {
                    System.out.println("not delivered: " + outcomes.get(0));
                }
                window.release(batch);
            });
        }
        window.acquire(WINDOW);
        return batches.size() * batch / ((System.nanoTime() - began) / 1e9);
    }
}
