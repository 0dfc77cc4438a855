package io.postrider.kafka;

import io.postrider.destination.Placed;
import io.postrider.store.StoreException;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * What the reader found of partitions that had gone back, until the receiver is told. The reader begins before a
 * receiver is there, so the thread that pulls tells it. The reader never waits for the receiver's store. Thread-safe.
 */
final class Reports {
    /** Of a source without a receiver, which has said all of it in the log. */
    private static final int FOUND_MAX = 100;

    private final Queue<String> found = new ArrayBlockingQueue<>(FOUND_MAX);
    private volatile Placed.@Nullable Memory memory;

    void remember(Placed.Memory memory) {
        this.memory = memory;
    }

    /** A partition went back; beyond {@link #FOUND_MAX} that is in the log alone. */
    void wentBack(String why) {
        found.offer(why);
    }

    /**
     * Tells the receiver all of it. Kafka knows its places by itself, so the place that is kept has an era alone.
     *
     * @throws StoreException if the receiver cannot keep it at present; the next call tells it again
     */
    synchronized void tell() {
        Placed.Memory told = memory;
        if (told == null) {
            return;
        }
        for (String why = found.peek(); why != null; why = found.peek()) {
            long era = told.newest().map(Placed.Place::era).orElse(0L);
            told.wentBack(new Placed.Place(era + 1, 0, Instant.EPOCH), why);
            found.remove();
        }
    }
}
