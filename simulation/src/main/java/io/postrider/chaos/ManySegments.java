package io.postrider.chaos;

import io.postrider.EventFilter;
import io.postrider.Position;
import io.postrider.policy.Start;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** A log of so many segments that a few sessions cannot lock all of them at once: everybody must do with a few. */
final class ManySegments implements Scenario {
    private static final int SEGMENTS = 2_000;
    /** Made in one transaction, which locks each with its indexes. */
    private static final int AT_ONCE = 100;

    /** Those at the end that the subscription has yet to read when the nodes start. */
    private static final int UNREAD = 200;

    /**
     * As prune leaves it: nobody writes to closed segments, and the default partition takes no position of a segment.
     */
    private static final String WRITE_DOWN = """
            INSERT INTO postrider.segment (log, first, next, unaware, refreshed, writers)
                SELECT 'event_log', n * %1$d, (n + 1) * %1$d, '{}', true, CASE WHEN n < %2$d THEN '{}'::text[] END
                FROM generate_series(1, %2$d::bigint) AS n;
            UPDATE postrider.segment SET unaware = '{}', refreshed = true, writers = '{}'
                WHERE log = 'event_log' AND first = 1;
            INSERT INTO postrider.gap (log, after, before)
                SELECT 'event_log', (n - 1) * %1$d + 1, n * %1$d FROM generate_series(2, %2$d::bigint) AS n;
            ALTER TABLE postrider.event_log_rest DROP CONSTRAINT IF EXISTS beyond,
                ADD CONSTRAINT beyond CHECK (position < %1$d OR position >= (%2$d + 1) * %1$d) NOT VALID
            """;

    /** Nodes and writers have many more sessions. */
    private static final int READERS_MAX = 5;

    private static final String OUT_OF_SHARED_MEMORY = "53200";
    private static final NodeOptions KEEPING =
            NodeOptions.DEFAULT.segmentSize(500).pruneEvery(Duration.ofSeconds(1));
    private static final NodeOptions PRUNING = KEEPING.retain(Duration.ofSeconds(1));
    private static final Duration SEARCHED = Duration.ofSeconds(2);
    private static final Duration PRUNED = Duration.ofSeconds(6);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Of the segments, one in so many is gone by then at least. */
    private static final int FREED_SHARE = 4;

    @Override
    public String name() {
        return "segments";
    }

    @Override
    public String sentence() {
        return "The log has 2000 segments, more than a few sessions can lock at once; nodes start, read,"
                + " search and prune, and no append fails.";
    }

    @Override
    public Setup setup() {
        return Setup.PLAIN.options(KEEPING);
    }

    /** The subscription is there, and has not come to the newest of them. */
    @Override
    public void prepare(Cluster cluster) throws Exception {
        try (Connection connection = cluster.connect("harness");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int number = 1; number < SEGMENTS; number++) {
                statement.addBatch("""
                        CREATE TABLE postrider.event_log_%1$d PARTITION OF postrider.event_log
                            FOR VALUES FROM (%1$d) TO (%2$d)
                        """.formatted(number * SegmentView.WIDTH, (number + 1) * SegmentView.WIDTH));
                if (number % AT_ONCE == 0 || number == SEGMENTS - 1) {
                    statement.executeBatch();
                    connection.commit();
                }
            }
            statement.execute(WRITE_DOWN.formatted(SegmentView.WIDTH, SEGMENTS - 1));
            connection.commit();
            fill(cluster, connection, statement);
        }
        try (Operator operator = cluster.operator()) {
            Start start = Start.after(new Position((SEGMENTS - UNREAD) * SegmentView.WIDTH - 1));
            operator.store().subscriptions().register(DeliveryNode.SUBSCRIPTION, start, NumberedEvent.TYPE);
        }
        requireMoreThanCanBeLocked(cluster);
    }

    /** An event in each, by positions that are drawn there. */
    private static void fill(Cluster cluster, Connection connection, Statement statement) throws SQLException {
        for (int number = 1; number < SEGMENTS; number++) {
            String key = Writer.KEYS.get(number % Writer.KEYS.size());
            statement.execute("SELECT setval('postrider.event_position', " + number * SegmentView.WIDTH + ")");
            if (number < SEGMENTS - UNREAD) {
                statement.execute("SELECT postrider.append('chaos.history', '{}', key => '" + key + "')");
            } else {
                cluster.table().append(connection, key);
            }
        }
        connection.commit();
    }

    /** A few sessions that look at the whole log are too many: the next one has no memory left for its locks. */
    private static void requireMoreThanCanBeLocked(Cluster cluster) throws Exception {
        List<Connection> readers = new ArrayList<>();
        try {
            boolean full = false;
            while (!full && readers.size() < READERS_MAX) {
                Connection reader = cluster.connect("harness");
                readers.add(reader);
                full = !canReadAll(reader);
            }
            Fault.require(full, readers.size() + " sessions can lock all segments");
        } finally {
            for (Connection reader : readers) {
                reader.close();
            }
        }
    }

    /** In a transaction that stays open, and keeps its locks. */
    private static boolean canReadAll(Connection reader) throws SQLException {
        reader.setAutoCommit(false);
        try (Statement statement = reader.createStatement()) {
            statement.execute("SELECT count(*) FROM postrider.event_log");
            return true;
        } catch (SQLException e) {
            if (!OUT_OF_SHARED_MEMORY.equals(e.getSQLState())) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        Server server = cluster.postgres(Server.class);
        long before = server.logged("out of shared memory");
        SegmentView full = SegmentView.count(cluster);
        Fault.require(full.tables() >= SEGMENTS, "the log has " + full.tables() + " segments");
        Searches searches = new Searches();
        SegmentView left;
        try (Operator operator = cluster.operator()) {
            Thread searching = searches.start(operator.store());
            NodeProcess first = cluster.alive().get(0);
            cluster.startNode();
            first.terminate();
            Pause.of(SEARCHED);
            searches.pruned.set(true);
            cluster.startNode(PRUNING);
            Pause.of(PRUNED);
            left = SegmentView.count(cluster);
            searches.stop(searching);
        }
        Fault.require(searches.answered.get() > 0, "nobody searched");
        String evidence = full.tables() + " segments, " + searches.answered.get() + " searches, "
                + (left.freed() - full.freed()) + " segments freed";
        return new Fault(begin, evidence)
                .promise(c -> searches.failures)
                .promise(c -> left.freed() - full.freed() >= SEGMENTS / FREED_SHARE
                        ? List.of()
                        : List.of("prune did not come forward: " + evidence))
                .promise(c -> server.logged("out of shared memory") == before
                        ? List.of()
                        : List.of("a statement was out of shared memory; the log of PostgreSQL says which"))
                .promise(Promises::everythingIsSettled)
                .promise(Promises::noTransactionFailed);
    }

    /** What an operator looks for all the while. */
    private static final class Searches {
        private static final int HITS = 5;
        private static final Duration BETWEEN = Duration.ofMillis(100);

        private final AtomicLong answered = new AtomicLong();
        private final AtomicBoolean stopping = new AtomicBoolean();
        private final AtomicBoolean pruned = new AtomicBoolean();
        private final List<String> failures = new ArrayList<>();

        Thread start(PostgresStore store) {
            Thread thread = new Thread(() -> run(store), "search");
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        private void run(PostgresStore store) {
            while (!stopping.get() && failures.isEmpty()) {
                try {
                    once(store, Writer.KEYS.get((int) (answered.get() % Writer.KEYS.size())));
                    answered.incrementAndGet();
                    Pause.of(BETWEEN);
                } catch (InterruptedException e) {
                    return;
                } catch (RuntimeException e) {
                    failures.add("a search failed: " + e);
                }
            }
        }

        /** Until prune begins every key has an event, and every event a story. */
        private void once(PostgresStore store, String key) {
            var found = store.search().events(EventFilter.ALL.key(key), null, HITS);
            boolean told = found.events().stream()
                    .limit(1)
                    .anyMatch(event -> store.search().story(event.id()).isPresent());
            if (!told && found.next() == null && !pruned.get()) {
                failures.add("a search found nothing of " + key);
            }
            store.browse().progress(DeliveryNode.SUBSCRIPTION);
        }

        void stop(Thread thread) throws InterruptedException {
            stopping.set(true);
            thread.join(PATIENCE.toMillis());
        }
    }
}
