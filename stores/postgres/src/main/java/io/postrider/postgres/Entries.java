package io.postrider.postgres;

import io.postrider.store.Append.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Several entries as parameters of one call: an array for each column. */
final class Entries {
    static final String PARAMETERS = "?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],"
            + " ?::timestamptz[], ?::timestamptz[], ?::smallint[]";

    /** Entries of one statement at most. */
    private static final int PIECE_MAX = 10_000;

    /**
     * Characters of payloads and headers in one statement, unless it is one entry: a parameter has at most a gigabyte.
     */
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
            int next =
                    entries.get(i).payload().length() + entries.get(i).headers().bytes();
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

    /** Sets the parameters of {@code append_events}, in the order of {@link #PARAMETERS}. */
    static void bind(PreparedStatement insert, List<Entry> entries) throws SQLException {
        Connection connection = insert.getConnection();
        insert.setArray(
                1,
                connection.createArrayOf(
                        "uuid", column(UUID[]::new, entries, each -> each.id().value())));
        text(insert, 2, entries, Entry::type);
        text(insert, 3, entries, Entry::key);
        text(insert, 4, entries, Entry::payload);
        text(insert, 5, entries, entry -> Rows.json(entry.headers()));
        text(insert, 6, entries, Entry::tenant);
        text(insert, 7, entries, entry -> Rows.text(entry.schedule().deliverAt()));
        text(insert, 8, entries, entry -> Rows.text(entry.schedule().expiresAt()));
        Integer[] priorities = column(Integer[]::new, entries, Entries::priority);
        insert.setArray(9, connection.createArrayOf("smallint", priorities));
    }

    private static @Nullable Integer priority(Entry entry) {
        int priority = entry.schedule().priority();
        return priority == 0 ? null : priority;
    }

    private static void text(
            PreparedStatement insert, int index, List<Entry> entries, Function<Entry, @Nullable String> value)
            throws SQLException {
        insert.setArray(index, insert.getConnection().createArrayOf("text", column(String[]::new, entries, value)));
    }

    private static <V extends @Nullable Object> V[] column(
            IntFunction<V[]> array, List<Entry> entries, Function<Entry, V> value) {
        return entries.stream().map(value).toArray(array);
    }
}
