package io.postrider.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of renewals, kept from the first until the node leaves. A renewal that queued in the pool behind
 * handlers would come too late: the node would lose lanes and tasks that it still runs. Thread-safe; one renewal at a
 * time.
 */
final class KeptConnection {
    /** What a node uses of a pool: a connection for each thread that calls the store, and the one that is kept. */
    static final int POOL_ENOUGH = 5;

    private static final Logger LOG = LoggerFactory.getLogger(KeptConnection.class);
    /** Of fewer, the one that is kept would be missed by everything else. */
    private static final int POOL_MIN = 3;

    private static final int VALID_WITHIN_SECONDS = 1;
    /** A renewal that takes longer has fallen silent with its connection, and another one is tried. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private final Jdbc jdbc;
    private final int poolSize;
    private final boolean keeps;
    private volatile @Nullable Connection kept;
    /** The network timeout that the kept connection had before, in milliseconds; 0 is none. */
    private int timeoutBefore;

    private boolean told;
    private boolean timeoutTold;
    private boolean unkeptTold;

    KeptConnection(Jdbc jdbc, int poolSize) {
        this.jdbc = jdbc;
        this.poolSize = poolSize;
        this.keeps = poolSize != PoolSize.UNKNOWN && poolSize >= POOL_MIN;
    }

    /**
     * Runs statements that do no harm a second time on the connection that is kept from now on.
     *
     * @param delivers whether the node runs subscriptions: the size of the pool is told to no other
     */
    <R> R run(boolean delivers, Jdbc.Work<R> work) {
        if (delivers) {
            jdbc.waits().delivers();
            tellSize();
        }
        if (keeps) {
            open();
        }
        return runIfKept(work);
    }

    /** The same on the connection that is kept, if there is one: nothing is kept for a node that has left. */
    <R> R runIfKept(Jdbc.Work<R> work) {
        try {
            Optional<R> result = onKept(work);
            if (result.isPresent()) {
                return result.get();
            }
        } catch (SQLException e) {
            if (!Jdbc.isBroken(e)) {
                throw Jdbc.failure(e);
            }
        }
        return jdbc.repeatable(work);
    }

    private synchronized <R> Optional<R> onKept(Jdbc.Work<R> work) throws SQLException {
        Connection connection = kept;
        if (connection == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(work.run(jdbc.isolation().readCommitted(connection)));
        } catch (SQLException e) {
            if (!isUsable(connection)) {
                release();
            }
            jdbc.noteIfAway(e);
            throw e;
        }
    }

    /** A statement that failed leaves the connection as it was, unless the connection was what failed. */
    private static boolean isUsable(Connection connection) {
        try {
            return connection.isValid(VALID_WITHIN_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Outside the monitor: the pool may let it wait, and a renewal of something else must not wait behind it. */
    private void open() {
        if (kept != null) {
            return;
        }
        try {
            Connection another = jdbc.connection();
            if (!prepare(another)) {
                another.close();
            }
        } catch (SQLException e) {
            throw Jdbc.failure(e);
        }
    }

    /** Whether it is kept from now on. One that is broken, or takes no timeout, is not: the renewal uses the pool. */
    private boolean prepare(Connection another) {
        try {
            if (!another.getAutoCommit()) {
                another.setAutoCommit(true);
            }
            int timeout = another.getNetworkTimeout();
            tellTimeout(timeout);
            return keep(another, timeout);
        } catch (SQLException e) {
            tellUnkept(e);
            return false;
        }
    }

    private synchronized boolean keep(Connection another, int timeout) throws SQLException {
        if (kept != null) {
            return false;
        }
        int most = (int) ANSWER_WITHIN.toMillis();
        another.setNetworkTimeout(Runnable::run, timeout == 0 ? most : Math.min(timeout, most));
        timeoutBefore = timeout;
        kept = another;
        return true;
    }

    private synchronized void tellTimeout(int timeout) {
        if (timeout > 0 || timeoutTold) {
            return;
        }
        timeoutTold = true;
        LOG.warn("The connections of the pool have no socketTimeout: a call on one that falls silent waits without end,"
                + " and deliveries of this node with it. Set one in the JDBC URL, longer than your longest statement:"
                + " socketTimeout=60");
    }

    private synchronized void tellUnkept(SQLException e) {
        if (unkeptTold) {
            return;
        }
        unkeptTold = true;
        LOG.warn(
                "A connection for renewals could not be prepared, so renewals wait in the pool with everything else",
                e);
    }

    private synchronized void tellSize() {
        if (told || poolSize == PoolSize.UNKNOWN || poolSize >= POOL_ENOUGH) {
            return;
        }
        told = true;
        LOG.warn(
                "The pool has at most {} connections, and a node uses up to {}, beside one for each handler that takes"
                        + " one: {}. Give the pool more",
                poolSize,
                POOL_ENOUGH,
                keeps
                        ? "one is kept for renewals, claims and settles wait for the others"
                        : "too few to keep one for renewals, so a node whose handlers hold them loses its lanes and"
                                + " tasks, and their events are dispatched again");
    }

    /** Gives it back to the pool, until the next renewal. */
    synchronized void release() {
        Connection connection = kept;
        kept = null;
        if (connection != null) {
            try (connection) {
                connection.setNetworkTimeout(Runnable::run, timeoutBefore);
            } catch (SQLException e) {
                LOG.debug("The connection of renewals was broken when it was given back", e);
            }
        }
    }
}
