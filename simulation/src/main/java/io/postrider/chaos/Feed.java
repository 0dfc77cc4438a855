package io.postrider.chaos;

import io.postrider.Event;
import io.postrider.Outbox;
import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/**
 * Appends the numbers 1, 2, 3, … at a bounded rate, each once, also while PostgreSQL comes and goes: how far it has
 * come is a row that commits with the events. One thread at a time appends; the rest is thread-safe.
 */
final class Feed {
    static final int KEYS = 500;
    /** As fast as PostgreSQL takes them. */
    static final int UNBOUNDED = Integer.MAX_VALUE;

    private static final int AT_ONCE_MAX = 500;
    private static final int TRANSACTIONS_PER_SECOND = 20;
    private static final Duration WHILE_DOWN = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final DataSource pool;
    private final Outbox<Connection> outbox;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile long appended;
    private volatile boolean stopping;

    Feed(DataSource pool, Outbox<Connection> outbox) {
        this.pool = pool;
        this.outbox = outbox;
    }

    static void create(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE chaos_feed AS SELECT 0::bigint AS upto");
        }
    }

    /** Appends on a thread of its own, up to this number or until it is stopped. */
    void start(HarnessThreads threads, long upto, int perSecond) {
        threads.start("feed", () -> {
            try {
                append(upto, perSecond);
            } finally {
                over.countDown();
            }
        });
    }

    /** Appends up to this number; what was missed while PostgreSQL was away is not made up for by a higher rate. */
    void append(long upto, int perSecond) throws Exception {
        int atOnce = Math.max(1, Math.min(AT_ONCE_MAX, perSecond / TRANSACTIONS_PER_SECOND));
        Duration step = Duration.ofNanos(1_000_000_000L * atOnce / perSecond);
        Moment success = Moment.now();
        while (appended < upto && !stopping) {
            Moment begin = Moment.now();
            try {
                once(upto, atOnce);
                success = Moment.now();
                Duration left = step.minus(begin.age());
                Pause.of(left.isNegative() ? Duration.ZERO : left);
            } catch (SQLException | StoreException e) {
                if (success.age().compareTo(PATIENCE) > 0) {
                    throw e;
                }
                Pause.of(WHILE_DOWN);
            }
        }
    }

    /** Asks the row first: whether the commit before took place is not known if it failed. */
    private void once(long upto, int atOnce) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            long from = upto(connection);
            appended = from;
            long to = Math.min(upto, from + atOnce);
            if (from < to) {
                outbox.append(connection, events(from, to));
                try (PreparedStatement update = connection.prepareStatement("UPDATE chaos_feed SET upto = ?")) {
                    update.setLong(1, to);
                    update.executeUpdate();
                }
                connection.commit();
                appended = to;
            }
        }
    }

    private static long upto(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT upto FROM chaos_feed FOR UPDATE")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static List<Event> events(long after, long to) {
        return LongStream.rangeClosed(after + 1, to)
                .mapToObj(number -> Event.of(NumberedEvent.TYPE, new NumberedEvent.Content(number))
                        .key(keyOf(number)))
                .toList();
    }

    /** Always the same for a number; neighbours are spread over the keys. */
    static String keyOf(long number) {
        return "key-" + ((number * 0x9E3779B97F4A7C15L) >>> 33) % KEYS;
    }

    /** The last number that was appended, as far as is known here. */
    long appended() {
        return appended;
    }

    boolean isOver() {
        return over.getCount() == 0;
    }

    /** Stops what was started, and returns when nothing more is appended. */
    void stop() throws InterruptedException {
        stopping = true;
        over.await();
    }
}
