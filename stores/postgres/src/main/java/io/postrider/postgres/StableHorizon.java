package io.postrider.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The position up to which everything in the log is decided: committed and visible to every later snapshot, or never to
 * be. It follows the transactions that write to the log, and no others.
 *
 * <p>An append holds the log's lock from before it draws its position until its transaction has ended, also where that
 * is prepared and waits for its second phase. A <b>mark</b> is the head of the log and an xid drawn after it: whoever
 * drew a position up to that head has a lower xid. Once no transaction with a lower xid holds the log's lock, all of
 * them have ended, and the head of the mark is stable.
 *
 * <p>A mark is good for one incarnation: after crash recovery positions are drawn again, by transactions that no mark
 * knows of.
 *
 * <p>{@code pg_snapshot_xmin} says the same of all transactions of all databases of the cluster. Thread-safe.
 */
final class StableHorizon {
    /** No more often than this: PostgreSQL lists all the locks there are to answer. */
    private static final Duration EVERY = Duration.ofSeconds(1);

    /**
     * The xids of those that hold the log's lock, of 32 bits, and one of 64 bits near them. A transaction keeps its
     * virtual id when it is prepared.
     */
    private static final String HOLDERS = """
            WITH lock AS MATERIALIZED (SELECT * FROM pg_locks WHERE granted)
            SELECT x.transactionid::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text
            FROM lock l JOIN lock x ON x.virtualtransaction = l.virtualtransaction
              AND x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
            WHERE l.locktype = 'relation' AND l.relation = '{event_log}'::regclass AND l.mode = 'RowExclusiveLock'
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """;

    private final Jdbc jdbc;
    private volatile Stable stable = new Stable("", 0);
    private volatile long lookedAt;
    private volatile boolean looked;
    private Mark mark = new Mark(Long.MAX_VALUE, 0);

    /** Everything up to {@code position} is decided, as long as PostgreSQL has not recovered from a crash. */
    private record Stable(String incarnation, long position) {}

    /** Transactions that drew a position up to {@code head} have xids below {@code bound}. */
    private record Mark(long bound, long head) {}

    private record Head(String incarnation, long position) {}

    StableHorizon(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** As it was at the last look, or 0 if that was in another incarnation. */
    long position(String incarnation) {
        Stable known = stable;
        return known.incarnation().equals(incarnation) ? known.position() : 0;
    }

    /** As it was at the last look. */
    long position() {
        return stable.position();
    }

    /** Looks again, now and then. */
    void look(Connection connection) throws SQLException {
        if (!looked || System.nanoTime() - lookedAt > EVERY.toNanos()) {
            lookNow(connection);
        }
    }

    synchronized void lookNow(Connection connection) throws SQLException {
        lookedAt = System.nanoTime();
        looked = true;
        Head head = head(connection);
        if (!head.incarnation().equals(stable.incarnation())) {
            stable = new Stable(head.incarnation(), 0);
            mark = new Mark(Long.MAX_VALUE, 0);
        }
        long position = stable.position();
        if (head.position() == position) {
            return;
        }
        if (mark.head() == position) {
            mark = new Mark(PostgresWatch.drawXid(connection), head.position());
        }
        if (lowestHolder(connection) >= mark.bound()) {
            stable = new Stable(head.incarnation(), mark.head());
        }
    }

    /** Without a token nobody has claimed a lane yet, and nobody reads. */
    private Head head(Connection connection) throws SQLException {
        String sql = jdbc.sql("SELECT coalesce((SELECT token FROM {incarnation})::text, ''), " + PostgresRead.HEAD);
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return new Head(row.getString(1), row.getLong(2));
        }
    }

    private long lowestHolder(Connection connection) throws SQLException {
        long lowest = Long.MAX_VALUE;
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(jdbc.sql(HOLDERS))) {
            while (row.next()) {
                lowest = Math.min(lowest, full(row.getLong(1), Long.parseLong(row.getString(2))));
            }
            return lowest;
        }
    }

    /** The xid of 64 bits: no two that exist at once are further apart than half of what 32 bits can tell. */
    static long full(long xid, long near) {
        return near + (int) (xid - near);
    }
}
