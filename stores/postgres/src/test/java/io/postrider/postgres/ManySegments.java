package io.postrider.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A log of many segments, each with all of its search indexes and an event of key {@link #KEY}, an hour after the one
 * before. Segments are counted from 1; the first one of the schema stays empty.
 */
final class ManySegments implements AutoCloseable {
    /** Of a segment with all of its search indexes. */
    static final int LOCKS_OF_A_SEGMENT = 10;

    static final String KEY = "ann";
    static final String BEGIN = "2020-01-01T00:00:00Z";

    private final TestDatabase database;
    private final int segments;

    ManySegments(TestDatabase database, int segments) throws SQLException {
        this.database = database;
        this.segments = segments;
        database.store();
        for (int first = 1; first <= segments; first += 100) {
            attach(first, Math.min(segments, first + 99));
        }
        database.execute("SELECT setval('{event_position}', " + position(segments) + ")");
    }

    /** Of the event in a segment. */
    static long position(int segment) {
        return segment * Segments.WIDTH;
    }

    private void attach(int first, int last) throws SQLException {
        try (Connection connection = database.begin();
                var statement = connection.createStatement()) {
            for (int i = first; i <= last; i++) {
                for (String sql : statements(i)) {
                    statement.addBatch(sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1"));
                }
            }
            statement.executeBatch();
            connection.commit();
        }
    }

    private static String[] statements(int segment) {
        long from = position(segment);
        String name = "event_log_" + from;
        String table = """
                CREATE TABLE {%1$s} PARTITION OF {event_log} FOR VALUES FROM (%2$d) TO (%3$d);
                INSERT INTO {segment} (log, first, next) VALUES ('event_log', %2$d, %3$d);
                INSERT INTO {event_log} (position, id, type, key, payload, headers, tenant, lane, bytes, appended_at)
                SELECT %2$d, {draw_id}(), 'paid', '%4$s', '{}', '{"correlationId":"c"}', 'acme',
                    {lane_of}('%4$s', NULL), 2, timestamptz '%5$s' + %6$d * interval '1 hour';
                """.formatted(name, from, from + Segments.WIDTH, KEY, BEGIN, segment);
        String indexes = Arrays.stream(SearchIndex.values())
                .map(index -> "CREATE INDEX %s ON {%s} (%s)".formatted(index.on(name), name, index.columns()))
                .collect(Collectors.joining(";\n"));
        return (table + indexes).split(";\n");
    }

    /** Of each event a delivery row, with further columns and their values. */
    void rows(String subscription, String status, String columns, String values) throws SQLException {
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, key, status, attempt, due_at, suspect%s)
                SELECT '%s', {lane_of}('%s', NULL), n * %d, gen_random_uuid(), 'paid', '%3$s', '%5$s', 1,
                    now() - interval '1 hour', false%6$s
                FROM generate_series(1, %7$d) AS n
                """.formatted(columns, subscription, KEY, Segments.WIDTH, status, values, segments));
    }

    /** A few at a time: dropping the schema would lock all of them at once. */
    @Override
    public void close() throws SQLException {
        for (int i = 1; i <= segments; i += 100) {
            database.execute("DROP TABLE "
                    + IntStream.rangeClosed(i, Math.min(segments, i + 99))
                            .mapToObj(n -> "{event_log_" + position(n) + "}")
                            .collect(Collectors.joining(", ")));
        }
        database.close();
    }
}
