package io.postrider.postgres.load;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Delivers what is due among many scheduled events, in a process of its own, with the default configuration. Writes how
 * long that took from its start, and how much memory is in use afterwards.
 */
final class ScheduledNode {
    static final String SUBSCRIPTION = "reminders";
    static final String TYPE = "reminder.due";
    /** Events that are delivered: a delivery row of each half is due, the others are new. */
    static final int DELIVERED = 640;

    static final String DONE = "done";

    private ScheduledNode() {}

    /** What a node found out about itself. */
    record Measured(Duration start, long heapBytes) {
        static Measured read(Path file) throws java.io.IOException {
            String[] numbers = Files.readString(file).split(" ");
            return new Measured(Duration.ofMillis(Long.parseLong(numbers[0])), Long.parseLong(numbers[1]));
        }

        void write(Path file) throws java.io.IOException {
            Files.writeString(file, start.toMillis() + " " + heapBytes);
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (HikariDataSource pool = Database.inherited().pool(8)) {
            long began = System.nanoTime();
            CountDownLatch missing = new CountDownLatch(DELIVERED);
            try (Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool))) {
                postrider
                        .subscribe(SUBSCRIPTION)
                        .on(TYPE, Integer.class, (Integer number, EventContext context) -> missing.countDown())
                        .start();
                missing.await();
                Duration start = Duration.ofNanos(System.nanoTime() - began);
                new Measured(start, heapBytes()).write(Path.of(arguments[0]));
                System.out.println(DONE);
                DeliveryNode.waitForEndOfInput();
            }
        }
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
