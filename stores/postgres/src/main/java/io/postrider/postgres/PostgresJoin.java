package io.postrider.postgres;

import io.postrider.store.Join;
import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;

/**
 * Work on connections that the store has not opened. The driver knows without a round trip whether a connection commits
 * each statement by itself, and what has become of its transaction. Whether the connection leads to the store's
 * database is asked once for each URL; a URL that leads elsewhere later is not noticed. Thread-safe.
 */
final class PostgresJoin implements Join<Connection> {
    /** Two servers started at the same microsecond are the same one. */
    private static final String WHICH = """
            SELECT pg_catalog.pg_postmaster_start_time()::pg_catalog.text, oid::pg_catalog.text, datname
            FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()
            """;
    /** Of more, each is asked every time. */
    private static final int URLS_MAX = 1_000;

    /** Causes may form a ring. */
    private static final int CAUSES_MAX = 50;

    private final Jdbc jdbc;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    PostgresJoin(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** A database of a running server. */
    private record Which(String started, String oid, String name) {

        /** Through a pooler the server's address is not the connection's, and a server knows no name of its own. */
        static Which of(Connection connection) throws SQLException {
            try (var select = connection.createStatement();
                    ResultSet row = select.executeQuery(WHICH)) {
                row.next();
                return new Which(row.getString(1), row.getString(2), row.getString(3));
            }
        }
    }

    @Override
    public Joined<Connection> join(Connection transaction) {
        try {
            if (transaction.isClosed()) {
                throw new IllegalStateException("the connection of the transaction is closed");
            }
            if (transaction.getAutoCommit()) {
                throw new IllegalStateException("the connection is in auto-commit mode: each statement would commit by"
                        + " itself, and not when the work returns");
            }
            requireSameDatabase(transaction);
            boolean begun = state(transaction) != TransactionState.IDLE;
            return new Work(transaction, LentConnection.of(transaction), begun);
        } catch (SQLException e) {
            throw Jdbc.storeFailure(e);
        }
    }

    /** The driver's; a connection that does not show its driver counts as open. */
    private static TransactionState state(Connection connection) throws SQLException {
        return connection.isWrapperFor(PgConnection.class)
                ? connection.unwrap(PgConnection.class).getTransactionState()
                : TransactionState.OPEN;
    }

    private void requireSameDatabase(Connection transaction) throws SQLException {
        String url = String.valueOf(transaction.getMetaData().getURL());
        if (known.contains(url)) {
            return;
        }
        Which theirs = Which.of(transaction);
        Which ours = jdbc.repeatable(Which::of);
        if (!theirs.equals(ours)) {
            throw new IllegalStateException("the connection leads to database '" + theirs.name()
                    + "' of a server started at " + theirs.started() + ", and the store's to '" + ours.name()
                    + "' of one started at " + ours.started() + ": nothing done there commits with what is recorded"
                    + " here");
        }
        if (known.size() < URLS_MAX) {
            known.add(url);
        }
    }

    @Override
    public boolean isUnanswered(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(CAUSES_MAX)
                .anyMatch(PostgresJoin::tellsOfNoAnswer);
    }

    private static boolean tellsOfNoAnswer(Throwable failure) {
        return failure instanceof StoreException || (failure instanceof SQLException e && !Jdbc.isAnswer(e));
    }

    private record Work(Connection connection, Connection handle, boolean begun) implements Joined<Connection> {

        @Override
        public void requireOpen() throws SQLException {
            if (connection.isClosed()) {
                throw new IllegalStateException("the connection was closed under the work");
            }
            TransactionState state = state(connection);
            if (state == TransactionState.FAILED) {
                throw PostgresTransact.hidden();
            } else if (state == TransactionState.IDLE && (begun || LentConnection.isWritten(handle))) {
                throw new IllegalStateException("the transaction was committed or rolled back under the work");
            }
        }

        @Override
        public boolean isBroken() {
            try {
                return connection.isClosed();
            } catch (SQLException e) {
                return true;
            }
        }

        /** The handle is of this work only, and nobody else has it. */
        @Override
        public void close() {}
    }
}
