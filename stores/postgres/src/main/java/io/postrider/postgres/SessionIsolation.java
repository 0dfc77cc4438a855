package io.postrider.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.postgresql.jdbc.PgConnection;

/**
 * Lets the engine's statements run READ COMMITTED, whatever the pool, the role or the database has by default. Nothing
 * is set in a session, which belongs to the host and may change hands behind a pooler: a session whose default is
 * another gets each statement within a transaction that names its isolation, in the same round trip. A session whose
 * default is READ COMMITTED gets the statements as they are. The default is asked for once in a while for each
 * connection. Thread-safe.
 */
final class SessionIsolation {
    /** How an engine's transaction begins. */
    static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

    /** The first statement of a transaction that the driver has begun, or begins with it. */
    static final String SET = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** A host may change the default, and a pooler the session: an answer is believed for so long. */
    private static final Duration BELIEVED = Duration.ofMinutes(1);

    private static final String READ_COMMITTED = "read committed";

    private final Map<Object, Known> known = Collections.synchronizedMap(new WeakHashMap<>());

    private record Known(boolean readCommitted, long nanos) {
        boolean isBelieved() {
            return System.nanoTime() - nanos < BELIEVED.toNanos();
        }
    }

    /** The connection, or one in front of it that names the isolation of each statement. */
    Connection readCommitted(Connection connection) throws SQLException {
        return isDefault(connection) ? connection : ReadCommitted.of(connection);
    }

    /** Whether transactions of this session are READ COMMITTED by themselves; false where nobody knows. */
    private boolean isDefault(Connection connection) throws SQLException {
        // An Object: a proxy of the host's may answer with a proxy.
        Object session = connection.isWrapperFor(PgConnection.class) ? connection.unwrap(PgConnection.class) : null;
        if (!(session instanceof PgConnection)) {
            return false;
        }
        Known last = known.get(session);
        if (last == null || !last.isBelieved()) {
            last = new Known(ask(connection), System.nanoTime());
            known.put(session, last);
        }
        return last.readCommitted();
    }

    private static boolean ask(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW default_transaction_isolation")) {
            row.next();
            return READ_COMMITTED.equals(row.getString(1));
        }
    }
}
