package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.spi.Append;
import io.postrider.spi.Receive;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Receive: one statement, which records what is new and appends that. Records are inserted in the order of their ids,
 * so that two who receive the same wait for each other in one direction only. Positions are drawn when all waiting is
 * over, because the events are sorted in between.
 *
 * <p>What is new is looked up in a hash. Without {@code IS TRUE} PostgreSQL makes a join of it, and compares each with
 * each, because it takes arrays for short.
 */
final class PostgresReceive implements Receive<Connection> {
    /** Rows of repeats beyond which they are added up. */
    private static final int REPEATS_MAX = 100;

    private static final String RECORD = """
            WITH entry AS MATERIALIZED (
                SELECT * FROM %s
            ), fresh AS (
                INSERT INTO {received} (source, event, bucket)
                SELECT ?, e.id, (%s)::smallint FROM entry e ORDER BY e.id
                ON CONFLICT DO NOTHING RETURNING event
            ), again AS (
                INSERT INTO {received_again} (source, messages)
                SELECT ?, ? - count(*) FROM fresh HAVING count(*) < ?
            )
            """.formatted(Entries.UNNEST, BucketRing.bucketOf("e.id"));

    private final Jdbc jdbc;
    private final PostgresAppend append;
    private final BucketRing ring;
    private final String receive;
    private final String record;

    PostgresReceive(Jdbc jdbc, PostgresAppend append) {
        this.jdbc = jdbc;
        this.append = append;
        this.ring = new BucketRing(jdbc, "received");
        this.receive = statement(jdbc);
        this.record = jdbc.sql(RECORD + "SELECT event FROM fresh");
    }

    static String statement(Jdbc jdbc) {
        return jdbc.sql(RECORD + """
                INSERT INTO {outbox_log} (%s)
                SELECT %s FROM entry WHERE (id IN (SELECT event FROM fresh)) IS TRUE ORDER BY n
                RETURNING id
                """.formatted(Entries.COLUMNS, Entries.VALUES));
    }

    @Override
    public Set<EventId> receive(Connection transaction, String source, List<Append.Entry> entries) {
        Map<EventId, Append.Entry> distinct = new LinkedHashMap<>();
        entries.forEach(entry -> distinct.putIfAbsent(entry.id(), entry));
        List<Append.Entry> given = List.copyOf(distinct.values());
        try {
            PostgresAppend.requireTransaction(transaction);
            if (given.isEmpty()) {
                return Set.of();
            }
            return append.fitsOneStatement(given)
                    ? insert(transaction, receive, source, given, entries.size())
                    : receiveMany(transaction, source, given, entries.size());
        } catch (SQLException e) {
            throw PostgresAppend.refused(e);
        }
    }

    /** All records first, because of their order, and then the events in pieces. */
    private Set<EventId> receiveMany(Connection transaction, String source, List<Append.Entry> entries, int given)
            throws SQLException {
        Set<EventId> fresh = insert(transaction, record, source, entries, given);
        append.append(
                transaction,
                entries.stream().filter(entry -> fresh.contains(entry.id())).toList());
        return fresh;
    }

    private static Set<EventId> insert(
            Connection transaction, String sql, String source, List<Append.Entry> entries, int given)
            throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(sql)) {
            int next = Entries.bind(insert, entries);
            insert.setString(next, source);
            insert.setString(next + 1, source);
            insert.setInt(next + 2, given);
            insert.setInt(next + 3, given);
            Set<EventId> stored = new HashSet<>();
            try (ResultSet row = insert.executeQuery()) {
                while (row.next()) {
                    stored.add(new EventId(row.getObject(1, UUID.class)));
                }
            }
            return stored;
        }
    }

    @Override
    public long repeated(String source) {
        return jdbc.repeatable(connection -> {
            String sql = jdbc.sql("SELECT coalesce(sum(messages), 0)::bigint FROM {received_again} WHERE source = ?");
            try (PreparedStatement sum = connection.prepareStatement(sql)) {
                sum.setString(1, source);
                try (ResultSet row = sum.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    @Override
    public boolean forget(Duration age) {
        boolean forgotten = ring.forget(age, connection -> before(connection, age));
        addUp();
        return forgotten;
    }

    private static String before(Connection connection, Duration age) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT (now() - " + BucketRing.interval(age) + ")::text")) {
            row.next();
            return row.getString(1);
        }
    }

    /** Receivers only insert rows, so that they never wait for each other here; now and then, many become one. */
    private void addUp() {
        jdbc.autocommit(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.executeUpdate(jdbc.sql("""
                        WITH gone AS (
                            DELETE FROM {received_again} WHERE source IN (
                                SELECT source FROM {received_again} GROUP BY source HAVING count(*) > %d)
                            RETURNING source, messages
                        )
                        INSERT INTO {received_again} (source, messages)
                        SELECT source, sum(messages) FROM gone GROUP BY source
                        """.formatted(REPEATS_MAX)));
            }
        });
    }
}
