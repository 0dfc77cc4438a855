package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Schedule;
import io.postrider.store.Append;
import io.postrider.store.RefusedEventException;
import io.postrider.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;

/**
 * Append: one call of a function in the caller's transaction. The function belongs to the owner of the log, checks its
 * arguments and computes the lane, so that a connection which appends needs no right on a table and can forge nothing.
 * A connection that may insert into the log inserts an event by itself, unless the event has a schedule or is appended
 * together with others: see {@link InsertRights}.
 */
final class PostgresAppend implements Append<Connection> {
    private static final String CONSTRAINT = "23";
    private static final String NOT_NULL = "23502";
    private static final String CHECK = "23514";
    private static final String NO_RIGHT = "42501";

    /** Ends a text whose statements travel together: behind one that fails the commit is skipped. */
    private static final String COMMIT = "; COMMIT";

    /** Most events have no schedule, and its parameters would cost each of them. */
    private final String one;

    private final String oneScheduled;
    private final String several;
    private final String insert;
    private final String oneAndCommit;
    private final String oneScheduledAndCommit;
    private final String severalAndCommit;
    private final String insertAndCommit;
    private final Jdbc jdbc;
    private final InsertRights rights;
    private final PostgresCopy copy;
    private final long segmentSize;

    PostgresAppend(Jdbc jdbc, long segmentSize) {
        this.jdbc = jdbc;
        this.segmentSize = segmentSize;
        one = jdbc.sql("SELECT {append_event}(?, ?, ?, ?::json, ?::json, ?)");
        oneScheduled =
                jdbc.sql("SELECT {append_event}(?, ?, ?, ?::json, ?::json, ?, ?::timestamptz, ?::timestamptz, ?)");
        several = jdbc.sql("SELECT {append_events}(" + Entries.PARAMETERS + ")");
        insert = jdbc.sql("INSERT INTO {event_log} (id, type, key, payload, headers, tenant, lane, bytes)"
                + " VALUES (?, ?, ?, ?::pg_catalog.json, ?::pg_catalog.json, ?, ?, ?)");
        oneAndCommit = one + COMMIT;
        oneScheduledAndCommit = oneScheduled + COMMIT;
        severalAndCommit = several + COMMIT;
        insertAndCommit = insert + COMMIT;
        rights = new InsertRights(jdbc);
        copy = new PostgresCopy(jdbc);
    }

    @Override
    public void append(Connection transaction, List<Entry> entries) {
        entries.forEach(Entry::requireNew);
        try {
            requireTransaction(transaction);
            if (entries.size() == 1) {
                appendOne(transaction, entries.get(0), false);
            } else {
                for (List<Entry> piece : Entries.pieces(entries, segmentSize)) {
                    appendSeveral(transaction, piece, several);
                }
            }
            LentConnection.written(transaction);
        } catch (SQLException e) {
            throw refused(e) instanceof StoreException failure ? jdbc.advised(failure) : refused(e);
        }
    }

    /** Messages from elsewhere, of which many come at once. */
    void appendReceived(Connection transaction, List<Entry> entries) throws SQLException {
        if (!PostgresCopy.isFor(entries) || !PostgresCopy.isPossible(transaction) || !rights.has(transaction)) {
            append(transaction, entries);
            return;
        }
        entries.forEach(Entry::requireNew);
        try {
            for (List<Entry> piece : Entries.pieces(entries, segmentSize)) {
                copy.copy(transaction, piece);
            }
            LentConnection.written(transaction);
        } catch (SQLException e) {
            throw noted(transaction, e);
        }
    }

    @Override
    public boolean mayWait(Connection transaction, Runnable writeNow) {
        LentConnection lent = LentConnection.behind(transaction);
        try {
            return lent != null && lent.letWait(writeNow);
        } catch (SQLException e) {
            throw Jdbc.storeFailure(e);
        }
    }

    @Override
    public void appendAndCommit(Connection transaction, List<Entry> entries) throws SQLException {
        requireOpen(transaction);
        try {
            if (entries.size() == 1) {
                appendOne(transaction, entries.get(0), true);
                return;
            }
            Iterator<List<Entry>> pieces = Entries.pieces(entries, segmentSize).iterator();
            while (pieces.hasNext()) {
                List<Entry> piece = pieces.next();
                appendSeveral(transaction, piece, pieces.hasNext() ? several : severalAndCommit);
            }
        } catch (SQLException e) {
            throw Jdbc.unknownOrRefused(e);
        }
    }

    /** Events wait in open transactions only: one that is not open any more was ended by the work. */
    private static void requireOpen(Connection transaction) throws SQLException {
        PostgresTransact.requireNoHiddenError(transaction);
        LentConnection lent = LentConnection.behind(transaction);
        if (lent != null && !lent.isStillOpen()) {
            throw new IllegalStateException("the work has ended its transaction by itself, before the events were"
                    + " written that it appended: they are lost, what else it did is not");
        }
    }

    static void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalArgumentException("the connection is in auto-commit mode: an append belongs into a"
                    + " transaction, beside what it announces");
        }
    }

    /** Data that PostgreSQL does not take is the caller's doing; everything else is the store's. */
    static RuntimeException refused(SQLException e) {
        if (!isAboutData(e)) {
            return Jdbc.storeFailure(e);
        }
        SQLException told = ServerError.withoutDetail(e);
        return new RefusedEventException("the log refuses the event: " + told.getMessage(), told);
    }

    /** Keys of the log are drawn by it: where one is there twice or is missing, no event is to blame. */
    private static boolean isAboutData(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        boolean ofTheLog = state.startsWith(CONSTRAINT) && !state.equals(NOT_NULL) && !state.equals(CHECK);
        return Jdbc.isRefusal(e) && !ofTheLog;
    }

    private void appendOne(Connection transaction, Entry entry, boolean commit) throws SQLException {
        if (entry.schedule().equals(Schedule.NONE) && rights.has(transaction)) {
            insert(transaction, entry, commit ? insertAndCommit : insert);
        } else {
            call(transaction, entry, commit);
        }
    }

    private void call(Connection transaction, Entry entry, boolean commit) throws SQLException {
        boolean scheduled = !entry.schedule().equals(Schedule.NONE);
        String unscheduled = commit ? oneAndCommit : one;
        String sql = scheduled ? (commit ? oneScheduledAndCommit : oneScheduled) : unscheduled;
        try (PreparedStatement call = transaction.prepareStatement(sql)) {
            bind(call, entry, Rows.json(entry.headers()));
            if (scheduled) {
                call.setString(7, Rows.text(entry.schedule().deliverAt()));
                call.setString(8, Rows.text(entry.schedule().expiresAt()));
                call.setInt(9, entry.schedule().priority());
            }
            call.execute();
        }
    }

    private void insert(Connection transaction, Entry entry, String sql) throws SQLException {
        String headers = Rows.json(entry.headers());
        try (PreparedStatement row = transaction.prepareStatement(sql)) {
            bind(row, entry, headers);
            row.setInt(
                    7,
                    Lane.of(entry.key(), entry.id(), jdbc.lanes().count(transaction))
                            .number());
            row.setInt(8, bytes(entry, headers));
            row.execute();
        } catch (SQLException e) {
            throw noted(transaction, e);
        }
    }

    private SQLException noted(Connection transaction, SQLException e) throws SQLException {
        if (NO_RIGHT.equals(e.getSQLState())) {
            rights.refused(transaction);
        }
        return e;
    }

    private static void bind(PreparedStatement statement, Entry entry, String headers) throws SQLException {
        statement.setObject(1, entry.id().value());
        statement.setString(2, entry.type());
        statement.setString(3, entry.key());
        statement.setString(4, entry.payload());
        statement.setString(5, headers);
        statement.setString(6, entry.tenant());
    }

    private static void appendSeveral(Connection transaction, List<Entry> entries, String sql) throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(sql)) {
            Entries.bind(insert, entries);
            insert.execute();
        }
    }

    /** The size of an event in a log, as its functions count it: its payload and its headers, unless it has none. */
    static int bytes(Entry entry, String headers) {
        return payloadBytes(entry) + (entry.headers().values().isEmpty() ? 0 : utf8(headers));
    }

    private static int payloadBytes(Entry entry) {
        int bytes = utf8(entry.payload());
        if (bytes > NodeLimits.PAYLOAD_BYTES_MAX) {
            throw new RefusedEventException(
                    "an event's payload has at most " + NodeLimits.PAYLOAD_BYTES_MAX + " bytes, got " + bytes);
        }
        return bytes;
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
