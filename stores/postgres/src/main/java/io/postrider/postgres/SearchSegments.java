package io.postrider.postgres;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    private static final String INDEXES = """
            ARRAY(SELECT x.relname::text FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
                      WHERE i.indrelid = c.oid AND i.indisvalid AND x.relname LIKE c.relname || '\\_by\\_%')""";

    /** Without the indexes: to look up those of all segments takes most of the time. */
    static final String BOUNDS = segments("'{}'::text[]");

    static final String LIST = segments(INDEXES);

    /**
     * The newest segments below a position as they are written down, found by their key; a row of NULL for none. No row
     * at all where the catalog has others too, or where positions were drawn beyond all of them: to count all segments
     * costs little, and to list them does not.
     */
    static final String NEWEST = """
            WITH log AS MATERIALIZED (
                SELECT head, (SELECT g.next FROM {segment} g WHERE g.log = 'event_log' AND g.first <= head
                        ORDER BY g.first DESC LIMIT 1) AS ending,
                    (SELECT count(*) FROM {segment} g WHERE g.log = 'event_log') AS written,
                    (SELECT count(*) FROM pg_inherits h WHERE h.inhparent = ?::regclass) AS attached
                FROM (SELECT %s AS head) AS sequence
            )
            SELECT 'event_log_' || g.first, g.first, g.next
            FROM log LEFT JOIN LATERAL (
                SELECT first, next FROM {segment}
                WHERE log = 'event_log' AND NOT emptied AND first < ? AND first <= head
                ORDER BY first DESC LIMIT ?
            ) g ON true
            WHERE ending > head AND attached = written + 1
            ORDER BY g.first DESC
            """.formatted(PostgresRead.HEAD);

    private static final String INDEXES_OF_SOME = "SELECT c.relname, " + INDEXES
            + " FROM pg_class c WHERE c.relnamespace = ?::regnamespace AND c.relname = ANY (?)";

    /** Segments with the newest first, and the last position that was drawn. */
    record Listed(List<SearchSegment> segments, long head) {}

    SearchSegments(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** Those that may have events: none ahead of the sequence. */
    Listed list(Connection connection) throws SQLException {
        return list(connection, LIST);
    }

    /** So many of those that may have events below a position, the newest first. */
    List<SearchSegment> below(Connection connection, long position, int most) throws SQLException {
        Optional<List<SearchSegment>> newest = newest(connection, position, most);
        List<SearchSegment> some = newest.isPresent() ? newest.get() : listed(connection, position, most);
        Map<String, Set<SearchIndex>> indexes = indexes(connection, some);
        return some.stream()
                .map(each -> new SearchSegment(
                        each.name(), each.from(), each.to(), indexes.getOrDefault(each.name(), Set.of())))
                .toList();
    }

    /** Nothing where only the catalog tells. */
    Optional<List<SearchSegment>> newest(Connection connection, long position, int most) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(NEWEST))) {
            select.setString(1, jdbc.sql("{event_log}"));
            select.setLong(2, position);
            select.setInt(3, most);
            List<SearchSegment> segments = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                do {
                    if (row.getString(1) != null) {
                        segments.add(new SearchSegment(row.getString(1), row.getLong(2), row.getLong(3), Set.of()));
                    }
                } while (row.next());
            }
            return Optional.of(segments);
        }
    }

    /** The same by the catalog. */
    List<SearchSegment> listed(Connection connection, long position, int most) throws SQLException {
        return list(connection, BOUNDS).segments().stream()
                .filter(each -> each.from() < position)
                .limit(most)
                .toList();
    }

    private static String segments(String indexes) {
        return """
                SELECT c.relname, CASE WHEN g.first IS NULL THEN pg_get_expr(c.relpartbound, c.oid)
                        ELSE format('FROM (%%L) TO (%%L)', g.first, g.next) END, %s, %s
                FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
                LEFT JOIN {segment} g ON g.log = 'event_log' AND g.first = %s
                WHERE h.inhparent = ?::regclass AND g.emptied IS NOT TRUE
                """.formatted(PostgresRead.HEAD, indexes, Segments.FIRST);
    }

    private Map<String, Set<SearchIndex>> indexes(Connection connection, List<SearchSegment> segments)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(INDEXES_OF_SOME))) {
            select.setString(1, jdbc.schema());
            select.setArray(
                    2,
                    connection.createArrayOf(
                            "name", segments.stream().map(SearchSegment::name).toArray()));
            Map<String, Set<SearchIndex>> indexes = new HashMap<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    indexes.put(row.getString(1), indexes(row.getString(1), row.getArray(2)));
                }
            }
            return indexes;
        }
    }

    private Listed list(Connection connection, String list) throws SQLException {
        String sql = jdbc.sql(list);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, jdbc.sql("{event_log}"));
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
