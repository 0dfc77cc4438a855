package io.postrider.postgres;

import io.postrider.Schedule;
import io.postrider.spi.Append.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Several entries as parameters of one statement: an array for each column. */
final class Entries {
    static final String COLUMNS =
            "id, type, key, payload, headers, tenant, lane, bytes, deliver_at, expires_at, priority";
    /** What is inserted, of a row of {@link #UNNEST}. */
    static final String VALUES =
            "id, type, key, payload::json, headers::json, tenant, lane, bytes, deliver_at," + " expires_at, priority";
    /** The rows, with their number in the given order. */
    static final String UNNEST = """
            unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::int[],
                    ?::timestamptz[], ?::timestamptz[], ?::smallint[]) WITH ORDINALITY
                AS entry (id, type, key, payload, headers, tenant, lane, bytes, deliver_at, expires_at, priority, n)
            """;

    /** Entries of one statement at most. */
    private static final int PIECE_MAX = 10_000;

    /** Characters of payloads in one statement, unless it is one entry: a parameter has at most a gigabyte. */
    private static final long PIECE_CHARACTERS_MAX = 16L << 20;

    private Entries() {}

    /**
     * In pieces for one statement each. A statement does not see segments that are made while it runs, and one that
     * draws more than half a segment of positions could reach such a one: see {@link Segments}. Large payloads are kept
     * apart, too.
     */
    static List<List<Entry>> pieces(List<Entry> entries, long segmentSize) {
        int most = (int) Math.max(1, Math.min(PIECE_MAX, segmentSize / 4));
        List<List<Entry>> pieces = new ArrayList<>();
        int from = 0;
        long characters = 0;
        for (int i = 0; i < entries.size(); i++) {
            int next = entries.get(i).payload().length();
            if (i - from == most || (i > from && characters + next > PIECE_CHARACTERS_MAX)) {
                pieces.add(entries.subList(from, i));
                from = i;
                characters = 0;
            }
            characters += next;
        }
        if (from < entries.size()) {
            pieces.add(entries.subList(from, entries.size()));
        }
        return pieces;
    }

    /** Sets the first parameters, those of {@link #UNNEST}; the index of the next one is the result. */
    static int bind(PreparedStatement insert, List<Entry> entries) throws SQLException {
        Connection connection = insert.getConnection();
        UUID[] ids = entries.stream().map(entry -> entry.id().value()).toArray(UUID[]::new);
        insert.setArray(1, connection.createArrayOf("uuid", ids));
        text(insert, 2, entries.stream().map(Entry::type).toArray(String[]::new));
        text(insert, 3, entries.stream().map(Entry::key).toArray(String[]::new));
        text(insert, 4, entries.stream().map(Entry::payload).toArray(String[]::new));
        text(
                insert,
                5,
                entries.stream().map(entry -> Rows.json(entry.headers())).toArray(String[]::new));
        text(insert, 6, entries.stream().map(Entry::tenant).toArray(String[]::new));
        Integer[] lanes = entries.stream().map(PostgresAppend::lane).toArray(Integer[]::new);
        insert.setArray(7, connection.createArrayOf("smallint", lanes));
        Integer[] bytes = entries.stream().map(PostgresAppend::bytes).toArray(Integer[]::new);
        insert.setArray(8, connection.createArrayOf("int", bytes));
        List<Schedule> schedules = entries.stream().map(Entry::schedule).toList();
        text(
                insert,
                9,
                schedules.stream().map(each -> Rows.text(each.deliverAt())).toArray(String[]::new));
        text(
                insert,
                10,
                schedules.stream().map(each -> Rows.text(each.expiresAt())).toArray(String[]::new));
        Integer[] priorities = schedules.stream()
                .map(each -> each.priority() == 0 ? null : each.priority())
                .toArray(Integer[]::new);
        insert.setArray(11, connection.createArrayOf("smallint", priorities));
        return 12;
    }

    private static void text(PreparedStatement insert, int index, @Nullable String[] values) throws SQLException {
        insert.setArray(index, insert.getConnection().createArrayOf("text", values));
    }
}
