package io.postrider.postgres;

import io.postrider.store.RefusedException;
import io.postrider.store.StoreException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Connections of the engine, and the schema they work in. What JDBC reports becomes a {@link StoreException} or, where
 * data is at fault, a {@link RefusedException}.
 */
final class Jdbc {
    /** Broken connections in a row after which PostgreSQL counts as down: a pool may hold that many. */
    static final int BROKEN_MAX = 32;

    /** Classes of errors that are about data. */
    private static final Set<String> REFUSALS = Set.of("21", "22", "23", "44", "54");

    private final DataSource dataSource;
    private final String schema;
    private final PoolWaits waits = new PoolWaits();
    private final SessionIsolation isolation = new SessionIsolation();
    private final KeptConnection renewing;
    private final LogLanes lanes;
    /** Of the work that this thread is in. */
    private final ThreadLocal<Connection> current = new ThreadLocal<>();

    Jdbc(DataSource dataSource, String schema) {
        this(dataSource, schema, OptionalInt.empty());
    }

    /** The same for a log of so many lanes; empty takes as many as the log has. */
    Jdbc(DataSource dataSource, String schema, OptionalInt lanes) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.renewing = new KeptConnection(this, PoolSize.of(dataSource));
        this.lanes = new LogLanes(this, lanes);
    }

    /** Work on a connection. */
    @FunctionalInterface
    interface Work<R> {
        R run(Connection connection) throws SQLException;
    }

    String schema() {
        return schema;
    }

    /** The statement with this installation's schema: a table {@code x} is written {@code {x}}. */
    String sql(String text) {
        return text.replaceAll("\\{(\\w+)}", schema + ".$1");
    }

    /** A connection of the pool. A long wait for it is told: everything that is late afterwards has that reason. */
    Connection connection() throws SQLException {
        long asked = System.nanoTime();
        try {
            Connection connection = dataSource.getConnection();
            waits.waited(Duration.ofNanos(System.nanoTime() - asked));
            return connection;
        } catch (SQLException e) {
            noteIfAway(e);
            throw e;
        }
    }

    /** Whoever waits for a connection meanwhile waits for PostgreSQL, and not for the pool. */
    void noteIfAway(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.startsWith("08") || state.startsWith("57P") || state.equals("53300")) {
            waits.away();
        }
    }

    /** The isolation of the engine's own statements. */
    SessionIsolation isolation() {
        return isolation;
    }

    /** The log of long waits for a connection. */
    PoolWaits waits() {
        return waits;
    }

    /** How many lanes the log has. */
    LogLanes lanes() {
        return lanes;
    }

    /** The connection of renewals. */
    KeptConnection renewing() {
        return renewing;
    }

    /**
     * Runs statements that each stand for themselves; within such work, on its connection: a thread that asked for a
     * second one would wait for others that do the same, for ever where the pool is small.
     */
    <R> R autocommit(Work<R> work) {
        return onHeldOrAnother(connection -> work.run(isolated(connection)));
    }

    private <R> R onHeldOrAnother(Work<R> work) {
        try {
            Connection held = current.get();
            return held != null && held.getAutoCommit() ? work.run(held) : onAnother(work);
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /** The connection in the engine's isolation, which statements within the work share. */
    private Connection isolated(Connection connection) throws SQLException {
        if (connection == current.get()) {
            return connection;
        }
        Connection session = isolation.readCommitted(connection);
        current.set(session);
        return session;
    }

    private <R> R onAnother(Work<R> work) throws SQLException {
        Connection outer = current.get();
        try (Connection connection = connection()) {
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            return work.run(connection);
        } catch (SQLException e) {
            noteIfAway(e);
            throw e;
        } finally {
            if (outer == null) {
                current.remove();
            } else {
                current.set(outer);
            }
        }
    }

    /**
     * Runs statements that do no harm a second time, at once on another connection if theirs turns out to be broken: a
     * pool hands out what died while it was idle, one after the other, and a pause for each would add up.
     */
    <R> R repeatable(Work<R> work) {
        for (int broken = 1; ; broken++) {
            boolean last = broken == BROKEN_MAX;
            Optional<R> result = onHeldOrAnother(connection -> {
                try {
                    return Optional.of(work.run(isolated(connection)));
                } catch (SQLException e) {
                    if (last || !isBroken(e)) {
                        throw e;
                    }
                    return Optional.empty();
                }
            });
            if (result.isPresent()) {
                return result.get();
            }
        }
    }

    /** The connection was ended. One that fell silent is another matter: each of those costs a timeout. */
    static boolean isBroken(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        boolean ended = state.startsWith("08") || state.equals("57P01") || state.equals("57P02");
        return ended && !(e.getCause() instanceof SocketTimeoutException);
    }

    /**
     * Runs statements in one READ COMMITTED transaction. Not for the engine's path: there, no lock may outlive a round
     * trip.
     */
    <R> R transaction(Work<R> work) {
        return autocommit(connection -> {
            connection.setAutoCommit(false);
            R result;
            try (var statement = connection.createStatement()) {
                statement.execute(SessionIsolation.SET);
                result = work.run(connection);
                connection.commit();
            } catch (Throwable failure) {
                rollBack(connection, failure);
                throw failure;
            }
            connection.setAutoCommit(true);
            return result;
        });
    }

    /**
     * Rolls back after a failure, and ends the transaction of the connection; false if the connection is broken.
     * Without a rollback, setting auto-commit would commit what the failed work has written.
     */
    static boolean rollBack(Connection connection, Throwable failure) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
            return true;
        } catch (SQLException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /** An error of a transaction: what PostgreSQL has refused, as it is; without an answer, the outcome is unknown. */
    static SQLException unknownOrRefused(SQLException e) {
        if (!isAnswer(e)) {
            throw new StoreException(explain(e), e);
        }
        return e;
    }

    /** Whether PostgreSQL has answered with this error, so that the outcome is known. */
    static boolean isAnswer(SQLException e) {
        String state = e.getSQLState();
        return state != null && !state.startsWith("08") && !state.startsWith("57P");
    }

    /** An error of the engine's own statements: the data's fault, or nobody's. */
    static RuntimeException failure(SQLException e) {
        if (!isRefusal(e)) {
            return storeFailure(e);
        }
        SQLException told = ServerError.withoutDetail(e);
        return new RefusedException(
                "PostgreSQL refuses the data (" + e.getSQLState() + "): " + told.getMessage(), told);
    }

    /** An error for which no data is to blame. */
    static StoreException storeFailure(SQLException e) {
        SQLException told = ServerError.withoutDetail(e);
        return new StoreException(explain(told), told);
    }

    /**
     * Whether the data is at fault, so that the same statement fails again: values and their limits (22, 54, 21),
     * constraints (23, 44), and what a trigger raises (P0001). Everything else may pass: connections, resources,
     * deadlocks, rights, a segment that is missing, a sequence at its end.
     */
    static boolean isRefusal(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return (REFUSALS.contains(state.length() < 2 ? state : state.substring(0, 2)) || state.equals("P0001"))
                && !ServerError.isOfTheLog(e);
    }

    /** What JDBC had reported. */
    static Optional<SQLException> cause(StoreException failure) {
        return Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .findFirst();
    }

    /** The SQLState behind a failure, empty where there is none. */
    static String state(StoreException failure) {
        return cause(failure).map(SQLException::getSQLState).orElse("");
    }

    /** The same failure with what to do where the schema is missing, or older than this code. */
    StoreException advised(StoreException failure) {
        return switch (state(failure)) {
            case "3F000", "42P01", "42883" ->
                new StoreException(
                        failure.getMessage() + ". Schema '" + schema + "' is missing or older than this code: run"
                                + " './postrider migrate --schema " + schema + "' as its owner. A store with"
                                + " Migrate.NEVER does not look for the schema at its start",
                        failure);
            default -> failure;
        };
    }

    private static String explain(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        String what = switch (state) {
            case "28P01", "28000" -> "PostgreSQL refused the user or the password";
            case "3D000" -> "there is no such database";
            case "42501" -> "the database user lacks a right";
            case "25006" ->
                "the connection writes nothing: default_transaction_read_only is on for its pool, role or database,"
                        + " or the server is a standby";
            case "40001", "40P01" -> "a transaction met another one, and PostgreSQL has ended it";
            case "53300" -> "PostgreSQL has no connection left";
            case "57P01", "57P02", "57P03" -> "PostgreSQL is going down or coming up";
            case "" ->
                e instanceof SQLTransientConnectionException
                        ? "the pool had no connection free in time, so it is too small, connections are not given"
                                + " back, or PostgreSQL gives it none"
                        : "PostgreSQL reports an error";
            default -> state.startsWith("08") ? "no connection to PostgreSQL" : "PostgreSQL reports an error";
        };
        return what + (state.isEmpty() ? "" : " (" + state + ")") + ": " + e.getMessage();
    }
}
