package io.postrider.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Writers that append and keep their transaction open for a while; each appends in the next transaction before it
 * commits one, so that it always has one open. A writer has two connections, each with a key of its own, since an open
 * transaction locks its key. Used by one thread.
 */
final class LongTransactions implements AutoCloseable {
    static final Duration OPEN_MIN = Duration.ofMillis(300);
    private static final int WRITERS = 4;
    private static final Duration APART = Duration.ofMillis(100);

    private final Cluster cluster;
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    private final List<Future<?>> running = new ArrayList<>();
    private final Queue<Open> opened = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    /** From the return of its first append until its commit was sent. */
    record Open(Moment from, Moment to) {
        Duration length() {
            return to.since(from);
        }
    }

    private LongTransactions(Cluster cluster) {
        this.cluster = cluster;
    }

    static LongTransactions start(Cluster cluster) throws SQLException, InterruptedException {
        try (Connection connection = cluster.connect("harness")) {
            KeyTable.add(
                    connection,
                    IntStream.range(0, 2 * WRITERS)
                            .mapToObj(LongTransactions::key)
                            .toList());
        }
        LongTransactions writers = new LongTransactions(cluster);
        for (int number = 0; number < WRITERS; number++) {
            writers.write(key(2 * number), key(2 * number + 1), OPEN_MIN.plus(APART.multipliedBy(number)));
            Pause.of(APART);
        }
        return writers;
    }

    private static String key(int number) {
        return "long-" + number;
    }

    private void write(String oneKey, String otherKey, Duration open) {
        running.add(threads.submit(() -> {
            try (Connection one = cluster.connect(oneKey);
                    Connection other = cluster.connect(otherKey)) {
                one.setAutoCommit(false);
                other.setAutoCommit(false);
                Transaction current = new Transaction(one, oneKey);
                Transaction next = new Transaction(other, otherKey);
                current.begin();
                while (!stopping) {
                    Pause.of(open);
                    next.begin();
                    current.end();
                    Transaction ended = current;
                    current = next;
                    next = ended;
                }
                Pause.of(open);
                current.end();
            }
            return null;
        }));
    }

    /** One after another on a connection. */
    private final class Transaction {
        private final Connection connection;
        private final String key;
        private final List<NumberedEvent> appended = new ArrayList<>();
        private Moment begin = Moment.now();

        Transaction(Connection connection, String key) {
            this.connection = connection;
            this.key = key;
        }

        void begin() throws SQLException {
            appended.add(cluster.table().append(connection, key));
            begin = Moment.now();
        }

        void end() throws SQLException {
            appended.add(cluster.table().append(connection, key));
            Moment asked = Moment.now();
            connection.commit();
            cluster.ledger().committed(List.copyOf(appended), asked);
            opened.add(new Open(begin, asked));
            appended.clear();
        }
    }

    /** Lets each finish its transaction, and throws what went wrong in any; returns all of them by their beginning. */
    List<Open> stop() throws InterruptedException, ExecutionException {
        stopping = true;
        for (Future<?> future : running) {
            future.get();
        }
        return opened.stream().sorted(Comparator.comparing(Open::from)).toList();
    }

    /** How long nothing was open between the first and the last of them. */
    static Duration gaps(List<Open> byBeginning) {
        Duration gaps = Duration.ZERO;
        Moment end = byBeginning.get(0).to();
        for (Open open : byBeginning) {
            gaps = end.isBefore(open.from()) ? gaps.plus(open.from().since(end)) : gaps;
            end = end.isBefore(open.to()) ? open.to() : end;
        }
        return gaps;
    }

    @Override
    public void close() throws InterruptedException {
        stopping = true;
        threads.shutdownNow();
        threads.awaitTermination(30, TimeUnit.SECONDS);
    }
}
