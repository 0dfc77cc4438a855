package io.postrider.postgres;

import io.postrider.Limits;
import io.postrider.Schedule;
import io.postrider.spi.Append;
import io.postrider.spi.RefusedEventException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Append: one call of a function in the caller's transaction. The function belongs to the owner of the log, checks what
 * it is given and computes the lane, so that a connection which appends needs no right on a table and can forge
 * nothing.
 */
final class PostgresAppend implements Append<Connection> {
    private static final String DATA = "22";
    private static final String NOT_NULL = "23502";
    private static final String CHECK = "23514";

    /** Most events have no schedule, and its parameters would cost each of them. */
    private final String one;

    private final String oneScheduled;
    private final String several;
    private final long segmentSize;

    PostgresAppend(Jdbc jdbc, long segmentSize) {
        this.segmentSize = segmentSize;
        one = jdbc.sql("SELECT {append_event}(?, ?, ?, ?::json, ?::json, ?)");
        oneScheduled =
                jdbc.sql("SELECT {append_event}(?, ?, ?, ?::json, ?::json, ?, ?::timestamptz, ?::timestamptz, ?)");
        several = jdbc.sql("SELECT {append_events}(" + Entries.PARAMETERS + ")");
    }

    @Override
    public void append(Connection transaction, List<Entry> entries) {
        try {
            requireTransaction(transaction);
            if (entries.size() == 1) {
                appendOne(transaction, entries.get(0));
            } else {
                for (List<Entry> piece : Entries.pieces(entries, segmentSize)) {
                    appendSeveral(transaction, piece);
                }
            }
        } catch (SQLException e) {
            throw refused(e);
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

    private static boolean isAboutData(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return (state.startsWith(DATA) || state.equals(NOT_NULL) || state.equals(CHECK)) && !ServerError.isOfTheLog(e);
    }

    private void appendOne(Connection transaction, Entry entry) throws SQLException {
        boolean scheduled = !entry.schedule().equals(Schedule.NONE);
        try (PreparedStatement insert = transaction.prepareStatement(scheduled ? oneScheduled : one)) {
            insert.setObject(1, entry.id().value());
            insert.setString(2, entry.type());
            insert.setString(3, entry.key());
            insert.setString(4, entry.payload());
            insert.setString(5, Rows.json(entry.headers()));
            insert.setString(6, entry.tenant());
            if (scheduled) {
                insert.setString(7, Rows.text(entry.schedule().deliverAt()));
                insert.setString(8, Rows.text(entry.schedule().expiresAt()));
                insert.setInt(9, entry.schedule().priority());
            }
            insert.execute();
        }
    }

    private void appendSeveral(Connection transaction, List<Entry> entries) throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(several)) {
            Entries.bind(insert, entries);
            insert.execute();
        }
    }

    /** The size of an event in a log: its payload and its headers. */
    static int bytes(Entry entry) {
        int bytes = entry.payload().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > Limits.PAYLOAD_BYTES_MAX) {
            throw new RefusedEventException(
                    "an event's payload has at most " + Limits.PAYLOAD_BYTES_MAX + " bytes, got " + bytes);
        }
        return bytes + entry.headers().bytes();
    }
}
