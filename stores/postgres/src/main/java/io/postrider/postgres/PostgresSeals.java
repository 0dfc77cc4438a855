package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.store.Ownership;
import io.postrider.store.Seal;
import io.postrider.store.Seals;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Seals: a column of the settlement, read from the newest back, also from those of the past. Only where a destination
 * has lost events is a settlement ever changed: its broken seals move to a table of their own, by one statement.
 */
final class PostgresSeals implements Seals {
    private final Jdbc jdbc;

    PostgresSeals(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public List<Sealing> sealings(Ownership ownership, long before, Duration age, int limit) {
        String sql = jdbc.sql("""
                SELECT number, seals FROM {sealed}(?, ?::smallint, ?, now() - ? * interval '1 microsecond', ?)
                """);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                bindLane(select, ownership);
                select.setLong(3, before);
                select.setLong(4, Parameters.inMicros(age));
                select.setInt(5, limit);
                return sealings(select);
            }
        });
    }

    private static List<Sealing> sealings(PreparedStatement select) throws SQLException {
        List<Sealing> sealings = new ArrayList<>();
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                sealings.add(new Sealing(row.getLong(1), SealText.seals(row.getString(2))));
            }
        }
        return sealings;
    }

    // ---- lost -------------------------------------------------------------------------------------------------------

    @Override
    public boolean lose(Ownership ownership, List<Sealing> broken) {
        return jdbc.autocommit(connection -> {
            Map<Long, @Nullable String> left = left(connection, ownership, broken);
            return lose(connection, ownership, broken, left);
        });
    }

    /** What is left of the seals of each settlement; only the owner of a lane changes them. */
    private Map<Long, @Nullable String> left(Connection connection, Ownership ownership, List<Sealing> broken)
            throws SQLException {
        String sql = jdbc.sql("""
                SELECT number, seals
                FROM (SELECT ?::text AS subscription, ?::smallint AS lane, ?::bigint[] AS numbers) b
                CROSS JOIN LATERAL {sealed}(b.subscription, b.lane, 9223372036854775807, '-infinity',
                    cardinality(b.numbers), b.numbers)
                """);
        Map<Long, @Nullable String> left = new TreeMap<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            bindLane(select, ownership);
            Long[] numbers = broken.stream().map(Sealing::settlement).distinct().toArray(Long[]::new);
            select.setArray(3, connection.createArrayOf("bigint", numbers));
            for (Sealing sealing : sealings(select)) {
                List<Seal> whole = sealing.seals().stream()
                        .filter(seal -> broken.stream()
                                .filter(one -> one.settlement() == sealing.settlement())
                                .flatMap(one -> one.seals().stream())
                                .noneMatch(seal::isBeside))
                        .toList();
                left.put(sealing.settlement(), SealText.of(whole));
            }
        }
        return left;
    }

    private boolean lose(
            Connection connection, Ownership ownership, List<Sealing> broken, Map<Long, @Nullable String> left)
            throws SQLException {
        String sql = jdbc.sql("""
                SELECT {lose}(?, ?::smallint, ?, ?, ?::bigint[], ?::text[], ?::text[])
                """);
        try (PreparedStatement write = connection.prepareStatement(sql)) {
            bindLane(write, ownership);
            write.setLong(3, ownership.epoch());
            write.setString(4, ownership.incarnation());
            write.setArray(5, connection.createArrayOf("bigint", left.keySet().toArray()));
            write.setArray(6, connection.createArrayOf("text", left.values().toArray()));
            write.setArray(7, connection.createArrayOf("text", texts(broken)));
            try (ResultSet row = write.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /** The oldest first; those that only repeat others stand for nothing. */
    private static Object[] texts(List<Sealing> broken) {
        return broken.stream()
                .sorted(Comparator.comparing(Sealing::settlement))
                .flatMap(sealing -> sealing.seals().stream())
                .filter(seal -> !seal.positions().isEmpty())
                .map(seal -> SealText.of(List.of(seal)))
                .toArray();
    }

    @Override
    public List<Lost> lost(Ownership ownership, int limit) {
        String sql = jdbc.sql("""
                SELECT number, seal FROM {lost} WHERE subscription = ? AND lane = ? ORDER BY number LIMIT ?
                """);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                bindLane(select, ownership);
                select.setInt(3, limit);
                List<Lost> lost = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        lost.add(new Lost(
                                row.getLong(1), SealText.seals(row.getString(2)).get(0)));
                    }
                }
                return lost;
            }
        });
    }

    @Override
    public List<StoredEvent> events(Ownership ownership, List<Position> positions) {
        String sql = jdbc.sql("SELECT " + Rows.EVENT + """
                 FROM (SELECT ?::smallint AS lane, ?::bigint[] AS positions) w
                CROSS JOIN LATERAL {events_at}(array_fill(w.lane, ARRAY[cardinality(w.positions)]), w.positions) o
                ORDER BY o.position
                """);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setInt(1, ownership.lane().number());
                select.setArray(2, connection.createArrayOf("bigint", PostgresClaim.values(positions)));
                List<StoredEvent> events = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        events.add(Rows.shown(row, 1));
                    }
                }
                return events;
            }
        });
    }

    private static void bindLane(PreparedStatement statement, Ownership ownership) throws SQLException {
        statement.setString(1, ownership.subscription());
        statement.setInt(2, ownership.lane().number());
    }
}
