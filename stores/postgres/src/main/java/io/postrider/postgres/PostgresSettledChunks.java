package io.postrider.postgres;

import io.postrider.store.Chunks;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Optional;

/**
 * Chunks of operations about settled events. The log has them by lane and position, so each lane has a cursor of its
 * own; a chunk looks at the next events of all lanes that have room, and moves on in each as far as it has come. The
 * segments of a chunk stay locked until it commits, so it looks at a few of them, from where the hindmost lane is.
 */
final class PostgresSettledChunks {
    /** Events that one chunk looks at, in all lanes together. */
    private static final int LOOKED_AT_MAX = 4_000;

    static final String MOVE = ("""
            WITH h AS (
                SELECT * FROM {operation} WHERE %1$s FOR UPDATE
            ), s AS (
                """ + SettledEvents.subscription("h.started_at") + """
            ), crowded AS (
                SELECT d.lane, count(*) AS waiting FROM h JOIN {delivery} d
                  ON d.operation = h.id AND d.status IN ('ready', 'waiting', 'running')
                GROUP BY d.lane
            ), l AS MATERIALIZED (
                SELECT t.*, ? - coalesce(c.waiting, 0) AS room
                FROM h JOIN {operation_lane} t ON t.operation = h.id LEFT JOIN crowded c ON c.lane = t.lane
                WHERE t.reached < t.up_to AND coalesce(c.waiting, 0) < ?
            ), share AS (
                SELECT greatest(1, %2$d / greatest(1, count(*))) AS each,
                    {segments_up_to}(min(l.reached) + 1, %10$d) AS up_to
                FROM l
            ), looked_at AS MATERIALIZED (
                SELECT o.lane, o.position, o.id, o.type, o.key, o.deliver_at, o.priority, l.room,
                    %3$s AS standing, %4$s AND %5$s AS matches
                FROM h, s, l CROSS JOIN LATERAL (
                    %6$s
                ) o
                %7$s
            ), picked AS MATERIALIZED (
                SELECT * FROM (
                    SELECT *, row_number() OVER (PARTITION BY lane ORDER BY position) AS place
                    FROM looked_at WHERE matches
                ) AS placed
                WHERE place <= room ORDER BY position LIMIT ?
            )
            %8$s
            , noted AS (
                INSERT INTO {decided} (event, operation) SELECT m.id, h.id FROM moved m, h ON CONFLICT DO NOTHING
            ), seen AS (
                SELECT a.lane, count(*) AS looked_at, max(a.position) AS last,
                    min(a.position) FILTER (WHERE a.matches AND p.position IS NULL) AS next
                FROM looked_at a LEFT JOIN picked p ON p.lane = a.lane AND p.position = a.position
                GROUP BY a.lane
            ), advanced AS (
                SELECT l.lane, CASE WHEN n.next IS NOT NULL THEN n.next - 1
                    WHEN coalesce(n.looked_at, 0) < (SELECT each FROM share)
                    THEN greatest(l.reached, least(l.up_to, (SELECT up_to FROM share))) ELSE n.last END AS reached
                FROM l LEFT JOIN seen n ON n.lane = l.lane
            ), stepped AS (
                UPDATE {operation_lane} t SET reached = a.reached FROM h, advanced a
                WHERE t.operation = h.id AND t.lane = a.lane
            ), chunk AS (
                SELECT (SELECT count(*) FROM moved) AS moved, h.state, NOT EXISTS (
                        SELECT FROM {operation_lane} t LEFT JOIN advanced a ON a.lane = t.lane
                        WHERE t.operation = h.id AND coalesce(a.reached, t.reached) < t.up_to) AS exhausted,
                    NOT EXISTS (SELECT FROM l) AS no_room, EXISTS (SELECT FROM s) AS subscribed
                FROM h
            ), o AS (
                UPDATE {operation} o
                SET done = o.done + c.moved, lease_until = clock_timestamp() + ? * interval '1 microsecond',
                    state = CASE WHEN f.finished THEN 'finished' ELSE o.state END,
                    ended_at = CASE WHEN f.finished THEN clock_timestamp() END
                FROM h, chunk c, LATERAL (SELECT c.exhausted AND c.subscribed AND c.state = 'running' AS finished) f
                WHERE o.id = h.id
                RETURNING o.*, c.moved, c.exhausted, c.no_room AND NOT c.exhausted AS full_lanes, c.subscribed
            ), audited AS (
                INSERT INTO {audit} (who, why, action, subscription, operation, details)
                SELECT who, why, 'operation_finished', subscription, id, %9$s FROM o WHERE state = 'finished'
            )
            SELECT moved, done, exhausted, full_lanes, subscribed FROM o
            """)
            .formatted(
                    PostgresChunks.HELD,
                    LOOKED_AT_MAX,
                    SettledEvents.STANDING,
                    SettledEvents.MATCHES,
                    SettledEvents.TAKEN,
                    SettledEvents.eventsOfLane("least(l.up_to, (SELECT up_to FROM share))", "(SELECT each FROM share)"),
                    SettledEvents.KNOWN,
                    SettledEvents.replay("h.id", "h.who"),
                    PostgresChunks.COUNTS,
                    Layout.NAMED_MAX);

    private final Jdbc jdbc;
    private final String move;

    PostgresSettledChunks(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.move = jdbc.sql(MOVE);
    }

    Optional<Chunks.Moved> move(Chunks.HeldOperation held, Chunks.Room room, Duration lease) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(move)) {
                new Parameters(update)
                        .number(held.id())
                        .number(held.epoch())
                        .number(room.waitingPerLane())
                        .number(room.waitingPerLane())
                        .number(room.most())
                        .micros(lease);
                try (ResultSet row = update.executeQuery()) {
                    return row.next() ? Optional.of(PostgresChunks.moved(row)) : Optional.empty();
                }
            }
        });
    }
}
