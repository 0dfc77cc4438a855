package io.postrider.postgres;

import io.postrider.store.Prune;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Prune: whole segments, below every subscription's floor and older than what is to be kept.
 *
 * <p>A segment is emptied first, which takes no lock that an append holds, and dropped when the log's own lock is to be
 * had. What is still needed of it is saved in the transaction that empties it: events that delivery rows refer to are
 * copied into those rows. Settlements: see {@link PastSettlements}.
 */
final class PostgresPrune implements Prune {
    /** Attempts that one statement deletes at most, and how many such statements one prune sends at most. */
    private static final int FORGOTTEN_MAX = 10_000;

    private static final int FORGOTTEN_ROUNDS = 10;

    /** Segments are emptied for so long in one prune: new ones have to be made meanwhile, and nodes have to stop. */
    static final Duration EMPTY_WITHIN = Duration.ofSeconds(5);

    /**
     * Events that a destination has lost are noted first and become delivery rows later. Until then their segments
     * stay, because a row would come too late for {@link #copy}. Asked under the segment's lock: who reads the events
     * of a later note finds none.
     */
    private static final String NOTHING_IS_LOST = """
            DO $$ BEGIN
                IF EXISTS (SELECT FROM {lost}) THEN RAISE lock_not_available; END IF;
            END $$;
            """;

    /** Nobody reads at or below the floor any more. Positions behind the segment's newest event are nobody's. */
    private static final String DONE_WITH = """
            (SELECT %2$d::bigint, coalesce(max(o.position), 0) <= ?
                AND coalesce(max(o.appended_at), '-infinity') < now() - ? * interval '1 microsecond'
            FROM generate_series(0, %3$d) AS l (lane) CROSS JOIN LATERAL (
                SELECT position, appended_at FROM {%1$s} WHERE lane = l.lane ORDER BY position DESC LIMIT 1
            ) o)
            """;

    private final Jdbc jdbc;
    private final Segments log;
    private final Segments settlements;
    private final PastSettlements past;
    private final SearchIndexes indexes;
    private final Layout layout;

    PostgresPrune(Jdbc jdbc, Layout layout, long segmentSize) {
        this.jdbc = jdbc;
        this.layout = layout;
        this.log = new Segments(jdbc, "event_log", "event_position", segmentSize);
        this.settlements = new Segments(jdbc, "settlement", "settlement_position", segmentSize);
        this.past = new PastSettlements(jdbc, settlements);
        this.indexes = new SearchIndexes(jdbc, SearchIndexes.Quiet.DEFAULT);
    }

    @Override
    public Pruned prune(Duration retain) {
        return jdbc.autocommit(connection -> {
            int created = log.extend(connection) + settlements.extend(connection);
            int dropped = emptyLog(connection, retain);
            long next = log.next(connection);
            List<Segments.Segment> left = dropLog(connection);
            layout.refresh(next, left);
            dropped += past.detachAndDrop(connection, retain);
            forgetDeadNodes(connection);
            addUpTallies(connection);
            long first = Segments.first(left);
            forgetAttempts(connection, first);
            forgetPastFilters(connection, first);
            created += indexes.build(connection);
            int undropped =
                    (int) left.stream().filter(Segments.Segment::emptied).count();
            return new Pruned(created, dropped, left.size(), undropped);
        });
    }

    // ---- the log ----------------------------------------------------------------------------------------------------

    /** The oldest first, for a while: where many are to go, the next prune goes on. */
    private int emptyLog(Connection connection, Duration retain) throws SQLException {
        // Without a subscription, nothing is ever done with.
        long floor = Floors.lowest(jdbc, connection);
        List<Segments.Segment> left = Segments.still(log.list(connection));
        long begin = System.nanoTime();
        int emptied = 0;
        while (emptied < left.size() && System.nanoTime() - begin < EMPTY_WITHIN.toNanos()) {
            List<Segments.Segment> some = doneWith(connection, left.subList(emptied, left.size()), floor, retain);
            int gone = emptySome(connection, some);
            emptied += gone;
            if (gone < Segments.AT_ONCE) {
                break;
            }
        }
        return emptied;
    }

    /** Answers what is left: many segments take long to list, so they are listed again only if some may be gone. */
    private List<Segments.Segment> dropLog(Connection connection) throws SQLException {
        List<Segments.Segment> left = log.list(connection);
        if (left.stream().noneMatch(Segments.Segment::emptied)) {
            return left;
        }
        log.drop(connection, left);
        return log.list(connection);
    }

    /** The first of them, as far as they are done with and as many as go at once. None if one was dropped just now. */
    private List<Segments.Segment> doneWith(
            Connection connection, List<Segments.Segment> segments, long floor, Duration retain) throws SQLException {
        List<Segments.Segment> some = segments.subList(0, Math.min(segments.size(), Segments.AT_ONCE));
        int lanes = jdbc.lanes().count(connection);
        String sql = jdbc.sql(some.stream()
                .map(segment -> DONE_WITH.formatted(segment.name(), segment.from(), lanes - 1))
                .collect(Collectors.joining(" UNION ALL ", "", " ORDER BY 1")));
        int number = 0;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < some.size(); i++) {
                select.setLong(2 * i + 1, floor);
                select.setLong(2 * i + 2, Parameters.inMicros(retain));
            }
            try (ResultSet row = select.executeQuery()) {
                while (row.next() && row.getBoolean(2)) {
                    number++;
                }
            }
        } catch (SQLException e) {
            if (!ServerError.isUndefinedTable(e)) {
                throw e;
            }
        }
        return some.subList(0, number);
    }

    /** All at once, or as many of the first as can be locked; answers how many. */
    private int emptySome(Connection connection, List<Segments.Segment> some) throws SQLException {
        int number = some.size();
        while (number > 0) {
            List<Segments.Segment> first = some.subList(0, number);
            if (log.empty(connection, first, NOTHING_IS_LOST + copies(first))) {
                return number;
            }
            number /= 2;
        }
        return 0;
    }

    /** Planned only if a row refers to one of the segments, which is rare. They follow each other. */
    private static String copies(List<Segments.Segment> segments) {
        return """
                DO $$ BEGIN
                    IF EXISTS (
                        SELECT FROM {lane} l CROSS JOIN LATERAL (
                            SELECT FROM {delivery} r
                            WHERE r.subscription = l.subscription AND r.lane = l.lane
                              AND r.position >= %d AND r.position < %d AND r.payload IS NULL
                            LIMIT 1
                        ) r
                    ) THEN
                        %s
                    END IF;
                END $$
                """.formatted(
                        segments.get(0).from(),
                        segments.get(segments.size() - 1).to(),
                        segments.stream().map(PostgresPrune::copy).collect(Collectors.joining(";\n", "", ";")));
    }

    /** Lane by lane, so that rows of other segments, which may be many dead ones, are not looked at. */
    static String copy(Segments.Segment segment) {
        return """
                UPDATE {delivery} d
                SET payload = o.payload, headers = o.headers, tenant = o.tenant, appended_at = o.appended_at
                FROM {lane} l CROSS JOIN LATERAL (
                    SELECT r.subscription, r.lane, r.position FROM {delivery} r
                    WHERE r.subscription = l.subscription AND r.lane = l.lane
                      AND r.position >= %2$d AND r.position < %3$d AND r.payload IS NULL
                    OFFSET 0
                ) r CROSS JOIN LATERAL (
                    SELECT e.payload, e.headers, e.tenant, e.appended_at FROM {%1$s} e
                    WHERE e.lane = r.lane AND e.position = r.position
                    OFFSET 0
                ) o
                WHERE d.subscription = r.subscription AND d.lane = r.lane AND d.position = r.position
                """.formatted(segment.name(), segment.from(), segment.to());
    }

    // ---- beside them ------------------------------------------------------------------------------------------------

    /** One row for many: each of them is in exactly one sum, whoever else does the same. */
    private void addUpTallies(Connection connection) throws SQLException {
        String sql = jdbc.sql("""
                WITH many AS (
                    SELECT subscription FROM {tally} GROUP BY subscription HAVING count(*) > 100
                ), gone AS (
                    DELETE FROM {tally} t USING many m WHERE t.subscription = m.subscription RETURNING t.*
                )
                INSERT INTO {tally} (subscription, delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, sum(delivered), sum(skipped), sum(parked), sum(dead), sum(expired), sum(discarded)
                FROM gone GROUP BY subscription
                """);
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /** A filter that was in force for no event of the log any more. */
    private void forgetPastFilters(Connection connection, long first) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(jdbc.sql("DELETE FROM {past_filter} WHERE reached < " + first));
        }
    }

    /** What was tried of an event goes with its segment, by and by. */
    private void forgetAttempts(Connection connection, long first) throws SQLException {
        String sql = jdbc.sql("""
                DELETE FROM {attempt} WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM {attempt} WHERE position < %d ORDER BY position LIMIT %d))
                """.formatted(first, FORGOTTEN_MAX));
        try (var statement = connection.createStatement()) {
            int rounds = 0;
            while (statement.executeUpdate(sql) == FORGOTTEN_MAX && ++rounds < FORGOTTEN_ROUNDS) {}
        }
    }

    private void forgetDeadNodes(Connection connection) throws SQLException {
        String sql = jdbc.sql("""
                DELETE FROM {node} n WHERE n.lease_until < now() - interval '1 hour'
                  AND NOT EXISTS (SELECT 1 FROM {lane} l WHERE l.owner = n.id)
                """);
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
