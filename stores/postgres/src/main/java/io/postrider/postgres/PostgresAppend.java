package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.Limits;
import io.postrider.Schedule;
import io.postrider.spi.Append;
import io.postrider.spi.RefusedEventException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.postgresql.util.PSQLException;

/**
 * Append: one INSERT in the caller's transaction. Position and transaction id are the table's own doing; lane and size
 * are computed here, which is much cheaper than by the table, and by a trigger for those who leave them out.
 */
final class PostgresAppend implements Append<Connection> {
    private static final String COLUMNS = "id, type, key, payload, headers, tenant, lane, bytes";
    private static final String DATA = "22";
    private static final String SEQUENCE_AT_ITS_END = "2200H";
    private static final String NOT_NULL = "23502";
    private static final String CHECK = "23514";

    private static final String SCHEDULE = ", deliver_at, expires_at, priority";

    /** Most events have no schedule, and its columns would cost each of them. */
    private final String one;

    private final String oneScheduled;
    private final String several;
    private final long segmentSize;

    PostgresAppend(Jdbc jdbc, long segmentSize) {
        this.segmentSize = segmentSize;
        one = jdbc.sql("INSERT INTO {outbox_log} (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        oneScheduled = jdbc.sql("INSERT INTO {outbox_log} (" + COLUMNS + SCHEDULE
                + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?::timestamptz, ?::timestamptz, ?)");
        several = jdbc.sql("INSERT INTO {outbox_log} (" + Entries.COLUMNS + ") SELECT " + Entries.VALUES + " FROM "
                + Entries.UNNEST);
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
        return isAboutData(e)
                ? new RefusedEventException("the log refuses the event: " + e.getMessage(), e)
                : Jdbc.failure(e);
    }

    /**
     * A row without a partition has the state of a violated check too, and then names no constraint: a segment is
     * missing, and the event is not to blame. Neither is it for a sequence that has come to its end.
     */
    private static boolean isAboutData(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return switch (state) {
            case NOT_NULL -> true;
            case CHECK ->
                e instanceof PSQLException server
                        && server.getServerErrorMessage() != null
                        && server.getServerErrorMessage().getConstraint() != null;
            default -> state.startsWith(DATA) && !state.equals(SEQUENCE_AT_ITS_END);
        };
    }

    private void appendOne(Connection transaction, Entry entry) throws SQLException {
        boolean scheduled = !entry.schedule().equals(Schedule.NONE);
        try (PreparedStatement insert = transaction.prepareStatement(scheduled ? oneScheduled : one)) {
            insert.setObject(1, entry.id().value());
            insert.setString(2, entry.type());
            insert.setString(3, entry.key());
            insert.setObject(4, entry.payload(), Types.OTHER);
            insert.setObject(5, Rows.json(entry.headers()), Types.OTHER);
            insert.setString(6, entry.tenant());
            insert.setInt(7, lane(entry));
            insert.setInt(8, bytes(entry));
            if (scheduled) {
                insert.setString(9, Rows.text(entry.schedule().deliverAt()));
                insert.setString(10, Rows.text(entry.schedule().expiresAt()));
                insert.setInt(11, entry.schedule().priority());
            }
            insert.executeUpdate();
        }
    }

    private void appendSeveral(Connection transaction, List<Entry> entries) throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(several)) {
            Entries.bind(insert, entries);
            insert.executeUpdate();
        }
    }

    static int lane(Entry entry) {
        return Lane.of(entry.key(), entry.id()).number();
    }

    static int bytes(Entry entry) {
        int bytes = entry.payload().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > Limits.PAYLOAD_BYTES_MAX) {
            throw new RefusedEventException("an event's payload has at most " + Limits.PAYLOAD_BYTES_MAX
                    + " bytes, that of '" + entry.type() + "' has " + bytes);
        }
        return bytes;
    }
}
