package io.postrider.postgres;

import io.postrider.operate.Counts;
import io.postrider.store.Foresee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Foresee: a few rows of the log at growing distances from each cursor, or the first of an index over tasks. */
final class PostgresForesee implements Foresee {
    /**
     * Five events of each lane at distances of 1, 2, 4 … positions, up to 16 million, and of those what the
     * subscription takes and was not late from the beginning. What lies in the next segment (see
     * {@link Segments#WIDTH}) seems too far to be judged.
     */
    static final String EVENTS = """
            SELECT o.position - s.reached, o.expires_at
            FROM {lane} l JOIN {subscription} b ON b.name = l.subscription
            CROSS JOIN LATERAL (
                SELECT reached FROM {settlement} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                ORDER BY s.number DESC LIMIT 1
            ) s
            CROSS JOIN generate_series(0, 24) AS p (power)
            CROSS JOIN LATERAL {events_after}(l.lane, s.reached + (1 << p.power) - 1, 5) o
            CROSS JOIN LATERAL {event_at}(l.lane, o.position) e
            WHERE l.subscription = ? AND o.expires_at > o.appended_at AND o.position - s.reached < %d
              AND e.type ~ {pattern}(b.filter) AND coalesce({header}(e.headers, 'onlyFor'), b.name) = b.name
            """.formatted(Segments.WIDTH / 2);

    /** Samples ready tasks at ranks 1, 2, 4, 8 …, ordered by expiry. */
    static final String TASKS = """
            SELECT max(place), max(expires_at) FROM (
                SELECT row_number() OVER (ORDER BY expires_at) AS place, expires_at
                FROM (
                    SELECT expires_at FROM {delivery}
                    WHERE subscription = ? AND status IN ('ready', 'waiting') AND expires_at IS NOT NULL
                    ORDER BY expires_at LIMIT 10000
                ) AS soonest
            ) AS placed
            GROUP BY floor(ln(place::float8) / ln(2::float8))
            """;

    private static final String COUNTS = """
            SELECT coalesce(sum(delivered), 0), coalesce(sum(skipped), 0), coalesce(sum(parked), 0),
                   coalesce(sum(dead), 0), coalesce(sum(expired), 0), coalesce(sum(discarded), 0)
            FROM (
                SELECT s.delivered, s.skipped, s.parked, s.dead, s.expired, s.discarded
                FROM {lane} l CROSS JOIN LATERAL (
                    SELECT * FROM {settlement} s WHERE s.subscription = l.subscription AND s.lane = l.lane
                    ORDER BY s.number DESC LIMIT 1
                ) s
                WHERE l.subscription = ?
                UNION ALL
                SELECT delivered, skipped, parked, dead, expired, discarded FROM {tally} WHERE subscription = ?
            ) AS one
            """;

    private final Jdbc jdbc;

    PostgresForesee(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Outlook events(String subscription) {
        return outlook(EVENTS, subscription);
    }

    @Override
    public Outlook tasks(String subscription) {
        return outlook(TASKS, subscription);
    }

    private Outlook outlook(String sql, String subscription) {
        return jdbc.autocommit(connection -> {
            Counts counts = counts(connection, subscription);
            try (PreparedStatement select = connection.prepareStatement(jdbc.sql(sql))) {
                select.setString(1, subscription);
                List<Waiting> waiting = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        waiting.add(new Waiting(
                                row.getLong(1),
                                row.getObject(2, OffsetDateTime.class).toInstant()));
                    }
                }
                return new Outlook(counts, waiting);
            }
        });
    }

    private Counts counts(Connection connection, String subscription) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(COUNTS))) {
            select.setString(1, subscription);
            select.setString(2, subscription);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return PostgresClaim.counts(row, 1);
            }
        }
    }
}
