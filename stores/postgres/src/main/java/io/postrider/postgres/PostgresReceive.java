package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.destination.Placed;
import io.postrider.store.Append;
import io.postrider.store.Receive;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Receive: what is new is recorded, and then appended. Records are inserted in the order of their ids, so that two who
 * receive the same wait for each other in one direction only. Positions are drawn when all waiting is over.
 *
 * <p>Two statements and not one, although that costs a round trip: payloads that pass through a WITH are copied several
 * times over, and that costs more. Of many messages the second is a COPY ({@link PostgresCopy}).
 */
final class PostgresReceive implements Receive<Connection> {
    /** Rows of repeats beyond which they are added up. */
    private static final int REPEATS_MAX = 100;

    private final Jdbc jdbc;
    private final PostgresAppend append;
    private final BucketRing ring;
    private final SourcePlaces places;
    private final String record;
    private final String again;

    PostgresReceive(Jdbc jdbc, PostgresAppend append) {
        this.jdbc = jdbc;
        this.append = append;
        this.ring = new BucketRing(jdbc, "received");
        this.places = new SourcePlaces(jdbc);
        this.record = jdbc.sql("""
                INSERT INTO {received} (source, event, bucket)
                SELECT ?, e.id, e.bucket FROM unnest(?::uuid[], ?::smallint[]) AS e (id, bucket) ORDER BY e.id
                ON CONFLICT DO NOTHING RETURNING event
                """);
        this.again = jdbc.sql("INSERT INTO {received_again} (source, messages) VALUES (?, ?)");
    }

    @Override
    public Set<EventId> receive(Connection transaction, String source, List<Append.Entry> entries) {
        Map<EventId, Append.Entry> distinct = new LinkedHashMap<>();
        entries.forEach(entry -> distinct.putIfAbsent(entry.id(), entry));
        try {
            PostgresAppend.requireTransaction(transaction);
            if (entries.isEmpty()) {
                return Set.of();
            }
            Set<EventId> fresh = record(transaction, source, distinct.keySet());
            if (fresh.size() < entries.size()) {
                countRepeats(transaction, source, entries.size() - fresh.size());
            }
            distinct.keySet().retainAll(fresh);
            append.appendReceived(transaction, List.copyOf(distinct.values()));
            return fresh;
        } catch (SQLException e) {
            throw PostgresAppend.refused(e);
        }
    }

    /** Those that are new. */
    private Set<EventId> record(Connection transaction, String source, Set<EventId> events) throws SQLException {
        UUID[] ids = events.stream().map(EventId::value).toArray(UUID[]::new);
        Integer[] buckets = events.stream().map(BucketRing::bucket).toArray(Integer[]::new);
        try (PreparedStatement insert = transaction.prepareStatement(record)) {
            insert.setString(1, source);
            insert.setArray(2, transaction.createArrayOf("uuid", ids));
            insert.setArray(3, transaction.createArrayOf("smallint", buckets));
            Set<EventId> fresh = new HashSet<>();
            try (ResultSet row = insert.executeQuery()) {
                while (row.next()) {
                    fresh.add(new EventId(row.getObject(1, UUID.class)));
                }
            }
            return fresh;
        }
    }

    private void countRepeats(Connection transaction, String source, int repeats) throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(again)) {
            insert.setString(1, source);
            insert.setLong(2, repeats);
            insert.executeUpdate();
        }
    }

    @Override
    public void place(Connection transaction, String reader, Placed.Place place) {
        places.keep(transaction, reader, place);
    }

    @Override
    public Optional<Placed.Place> newest(String reader) {
        return places.newest(reader);
    }

    @Override
    public boolean isRefused(Exception commit) {
        return commit instanceof SQLException e && Jdbc.isRefusal(e);
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
        places.prune();
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
