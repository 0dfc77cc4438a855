package io.postrider.postgres;

import io.postrider.destination.Placed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/** The places of which readers of sources have taken messages. Receivers insert, prune keeps the newest. */
final class SourcePlaces {
    private static final long NANOS = 1_000_000_000L;

    private final Jdbc jdbc;
    private final String insert;

    SourcePlaces(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.insert = jdbc.sql("INSERT INTO {source_place} (reader, era, at, sequence) VALUES (?, ?, ?, ?)");
    }

    void keep(Connection transaction, String reader, Placed.Place place) {
        try (PreparedStatement statement = transaction.prepareStatement(insert)) {
            statement.setString(1, reader);
            statement.setLong(2, place.era());
            statement.setLong(3, nanos(place.at()));
            statement.setLong(4, place.sequence());
            statement.executeUpdate();
        } catch (SQLException e) {
            throw Jdbc.failure(e);
        }
    }

    Optional<Placed.Place> newest(String reader) {
        return jdbc.repeatable(connection -> {
            String sql = jdbc.sql("""
                    SELECT era, at, sequence FROM {source_place} WHERE reader = ?
                    ORDER BY era DESC, at DESC, sequence DESC LIMIT 1
                    """);
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, reader);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next()
                            ? Optional.of(new Placed.Place(row.getLong(1), row.getLong(3), instant(row.getLong(2))))
                            : Optional.<Placed.Place>empty();
                }
            }
        });
    }

    /** Leaves the newest place of each reader. */
    void prune() {
        jdbc.autocommit(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.executeUpdate(jdbc.sql("""
                        DELETE FROM {source_place} p WHERE EXISTS (
                            SELECT 1 FROM {source_place} n
                            WHERE n.reader = p.reader
                              AND (n.era, n.at, n.sequence) > (p.era, p.at, p.sequence))
                        """));
            }
        });
    }

    private static long nanos(Instant at) {
        return Math.addExact(Math.multiplyExact(at.getEpochSecond(), NANOS), at.getNano());
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
    }
}
