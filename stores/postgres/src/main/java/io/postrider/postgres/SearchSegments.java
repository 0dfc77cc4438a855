package io.postrider.postgres;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.stream.Collectors;

/** The segments of the log as a search sees them: what range of positions each has, and which search indexes. */
final class SearchSegments {
    private final Jdbc jdbc;

    /**
     * A table with positions {@code from} to {@code to}, exclusive.
     *
     * @param indexes those search indexes it has that can be used
     */
    record SearchSegment(String name, long from, long to, Set<SearchIndex> indexes) {
        SearchSegment {
            indexes = Set.copyOf(indexes);
        }

        boolean has(SearchIndex index) {
            return indexes.contains(index);
        }
    }

    static final String LIST = """
            SELECT c.relname, CASE WHEN g.first IS NULL THEN pg_get_expr(c.relpartbound, c.oid)
                    ELSE format('FROM (%%L) TO (%%L)', g.first, g.next) END, %s,
                ARRAY(SELECT x.relname::text FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
                      WHERE i.indrelid = c.oid AND i.indisvalid AND x.relname LIKE c.relname || '\\_by\\_%%')
            FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
            LEFT JOIN {segment} g ON g.log = 'outbox_log' AND g.first = %s
            WHERE h.inhparent = ?::regclass AND g.emptied IS NOT TRUE
            """.formatted(PostgresRead.HEAD, Segments.FIRST);

    /** Segments with the newest first, and the last position that was drawn. */
    record Listed(List<SearchSegment> segments, long head) {}

    SearchSegments(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** Those that may have events: none ahead of the sequence. */
    Listed list(Connection connection) throws SQLException {
        String sql = jdbc.sql(LIST);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, jdbc.sql("{outbox_log}"));
            List<SearchSegment> segments = new ArrayList<>();
            long head = 0;
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    head = Math.max(head, row.getLong(3));
                    segments.add(segment(row));
                }
            }
            return listed(segments, head);
        }
    }

    private static SearchSegment segment(ResultSet row) throws SQLException {
        String name = row.getString(1);
        String bounds = row.getString(2);
        Matcher range = Segments.BOUNDS.matcher(bounds == null ? "" : bounds);
        boolean ranged = range.find();
        long from = ranged ? Long.parseLong(range.group(1)) : Long.MAX_VALUE;
        long to = ranged ? Long.parseLong(range.group(2)) : Long.MAX_VALUE;
        return new SearchSegment(name, from, to, indexes(name, row.getArray(4)));
    }

    private static Set<SearchIndex> indexes(String segment, Array names) throws SQLException {
        List<String> found = Arrays.asList((String[]) names.getArray());
        return Arrays.stream(SearchIndex.values())
                .filter(index -> found.contains(index.on(segment)))
                .collect(Collectors.toSet());
    }

    /**
     * The default partition has what was drawn beyond the last segment, and is looked at only if there is such a thing.
     * A segment that is ahead of the sequence has nothing of it.
     */
    private static Listed listed(List<SearchSegment> all, long head) {
        long end = all.stream()
                .filter(each -> each.from() <= head)
                .mapToLong(SearchSegment::to)
                .max()
                .orElse(1);
        List<SearchSegment> segments = all.stream()
                .map(each -> each.from() != Long.MAX_VALUE
                        ? each
                        : new SearchSegment(each.name(), end, Long.MAX_VALUE, each.indexes()))
                .filter(each -> each.from() <= head)
                .sorted(Comparator.comparingLong(SearchSegment::from).reversed())
                .toList();
        return new Listed(segments, head);
    }
}
