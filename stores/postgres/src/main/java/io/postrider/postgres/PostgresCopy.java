package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.policy.Schedule;
import io.postrider.store.Append.Entry;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyIn;
import org.postgresql.jdbc.PgConnection;

/**
 * Many entries by a binary COPY: neither side takes an array of texts apart, and no statement passes payloads on. The
 * columns that the server assigns have its defaults, as with an INSERT. Everything is encoded before the COPY begins,
 * so that an entry which cannot be leaves none open.
 */
final class PostgresCopy {
    /** Fewer are not worth a second round trip: a COPY begins with one of its own. */
    static final int WORTH = 50;

    /** The signature, no flags, no extension of the header. */
    private static final byte[] HEADER = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
    };

    private static final short COLUMNS = 8;
    private static final short END = -1;
    private static final int NULL = -1;

    private final Jdbc jdbc;
    private final String copy;

    PostgresCopy(Jdbc jdbc) {
        this.jdbc = jdbc;
        copy = jdbc.sql("COPY {event_log} (id, type, key, payload, headers, tenant, lane, bytes)"
                + " FROM STDIN (FORMAT binary)");
    }

    /** Whether these are many, and none has a schedule, which only the log's functions check. */
    static boolean isFor(List<Entry> entries) {
        return entries.size() > WORTH
                && entries.stream().allMatch(entry -> entry.schedule().equals(Schedule.NONE));
    }

    /** Whether the driver is within reach; a pool or a proxy may keep it back. */
    static boolean isPossible(Connection connection) throws SQLException {
        return DriverConnection.behind(connection) != null;
    }

    void copy(Connection transaction, List<Entry> entries) throws SQLException {
        byte[] rows = rows(entries, jdbc.lanes().count(transaction));
        PgConnection driver = Objects.requireNonNull(DriverConnection.behind(transaction), "driver");
        CopyIn open = driver.getCopyAPI().copyIn(copy);
        try {
            open.writeToCopy(rows, 0, rows.length);
            open.endCopy();
        } finally {
            if (open.isActive()) {
                open.cancelCopy();
            }
        }
    }

    private static byte[] rows(List<Entry> entries, int lanes) {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(rows)) {
            out.write(HEADER);
            for (Entry entry : entries) {
                write(out, entry, lanes);
            }
            out.writeShort(END);
        } catch (IOException e) {
            throw new UncheckedIOException("an array in memory cannot be written", e);
        }
        return rows.toByteArray();
    }

    private static void write(DataOutputStream out, Entry entry, int lanes) throws IOException {
        String headers = Rows.json(entry.headers());
        out.writeShort(COLUMNS);
        out.writeInt(2 * Long.BYTES);
        out.writeLong(entry.id().value().getMostSignificantBits());
        out.writeLong(entry.id().value().getLeastSignificantBits());
        text(out, entry.type());
        text(out, entry.key());
        text(out, entry.payload());
        text(out, headers);
        text(out, entry.tenant());
        out.writeInt(Short.BYTES);
        out.writeShort(Lane.of(entry.key(), entry.id(), lanes).number());
        out.writeInt(Integer.BYTES);
        out.writeInt(PostgresAppend.bytes(entry, headers));
    }

    /** The binary form of json is its text, too. */
    private static void text(DataOutputStream out, @Nullable String value) throws IOException {
        if (value == null) {
            out.writeInt(NULL);
            return;
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
