package io.postrider.postgres.load;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file of a great many arrivals, in the order of their handlers, sixteen bytes each. Written by a process that ends
 * by itself, so it may buffer. Thread-safe.
 */
final class DrainLedger implements AutoCloseable {
    private static final int ENTRY_BYTES = 16;

    private final DataOutputStream file;
    private int count;

    /** The arrivals of a drain, in their order: numbers of keys, numbers within them, and times. */
    record Arrivals(int[] keys, int[] sequences, long[] nanos) {
        int count() {
            return keys.length;
        }

        /** Events per second from one arrival to another. */
        double rate(int from, int to) {
            return (to - from) * 1e9 / (nanos[to] - nanos[from]);
        }
    }

    DrainLedger(Path path) throws IOException {
        file = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path), 1 << 16));
    }

    /** Answers how many have arrived by now. */
    synchronized int arrived(int key, int sequence) throws IOException {
        file.writeInt(key);
        file.writeInt(sequence);
        file.writeLong(System.nanoTime());
        return ++count;
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }

    static Arrivals read(Path path) throws IOException {
        int count = (int) (Files.size(path) / ENTRY_BYTES);
        Arrivals arrivals = new Arrivals(new int[count], new int[count], new long[count]);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16))) {
            for (int i = 0; i < count; i++) {
                arrivals.keys()[i] = in.readInt();
                arrivals.sequences()[i] = in.readInt();
                arrivals.nanos()[i] = in.readLong();
            }
        }
        return arrivals;
    }
}
