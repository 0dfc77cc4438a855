package io.postrider.postgres;

import io.postrider.operate.By;
import io.postrider.operate.Operation;
import io.postrider.store.Chunks;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Chunks: each one statement that locks the operation's row if the epoch is still ours; everything else hangs on that
 * row. A chunk looks at so many rows by position, so that its cost does not depend on how many match the filter, and
 * the operation's cursor moves over all of them.
 */
final class PostgresChunks implements Chunks {
    /** Rows that one chunk looks at. */
    private static final int LOOKED_AT_MAX = 1_000;
    /** Reasons that are kept of a canary, and how long each may be. */
    private static final int REASONS_MAX = 5;

    private static final int REASON_MAX = 500;

    /** How far an operation {@code o} has come, for the audit. */
    static final String COUNTS = """
            json_build_object('total', o.total::text, 'done', o.done::text, 'failedAgain', (
                SELECT count(*) FROM {delivery} f WHERE f.operation = o.id AND f.status IN ('dead', 'expired'))::text)
            """;

    static final String HELD = "id = ? AND epoch = ? AND ended_at IS NULL";

    /**
     * Where the rows are found again by their keys, the status is checked again: somebody may have decided meanwhile.
     */
    private static final String SAME_ROW =
            "d.subscription = p.subscription AND d.lane = p.lane AND d.position = p.position AND d.status = p.status";

    private static final String REPLAY = """
            UPDATE {delivery} d
            SET status = 'waiting', attempt = 0, due_at = now(), suspect = false, expires_at = NULL, released = false,
                operation = h.id, changed_at = now(),
                reprocessed = d.reprocessed + CASE WHEN h.reprocessed_below IS NULL THEN 0 ELSE 1 END
            FROM picked p, h WHERE\s""" + SAME_ROW;

    private static final String DISCARD = "DELETE FROM {delivery} d USING picked p WHERE " + SAME_ROW;

    static final String MOVE = """
            WITH h AS (
                SELECT * FROM {operation} WHERE %1$s FOR UPDATE
            ), looked_at AS (
                SELECT d.* FROM h CROSS JOIN unnest(h.states) AS s (status) CROSS JOIN LATERAL (
                    SELECT d.subscription, d.lane, d.position, d.id, d.status,
                        d.changed_at <= h.started_at AND %2$s AS matches
                    FROM {delivery} d
                    WHERE d.subscription = h.subscription AND d.status = s.status
                      AND d.position > h.reached AND d.position <= h.up_to
                    ORDER BY d.position LIMIT %3$d
                ) d
                ORDER BY d.position LIMIT %3$d
            ), picked AS (
                SELECT * FROM looked_at WHERE matches ORDER BY position LIMIT ?
            ), moved AS (
                %4$s
                RETURNING p.*
            ), told AS (
                UPDATE {lane} l SET requests = l.requests + 1 FROM (
                    SELECT subscription, lane FROM {lane}
                    WHERE subscription = (SELECT subscription FROM h) AND lane IN (SELECT lane FROM moved)
                    ORDER BY lane FOR NO KEY UPDATE
                ) m
                WHERE l.subscription = m.subscription AND l.lane = m.lane
            ), tallied AS (
                INSERT INTO {tally} (subscription, dead, expired, %5$s)
                SELECT subscription, -count(*) FILTER (WHERE status = 'dead'),
                    -count(*) FILTER (WHERE status = 'expired'), count(*)
                FROM moved GROUP BY subscription
            ), tried AS (
                INSERT INTO {attempt} (subscription, position, attempt, outcome, node)
                SELECT m.subscription, m.position, 0, '%7$s', h.who FROM moved m, h
            ), noted AS (
                INSERT INTO {decided} (event, operation) SELECT m.id, h.id FROM moved m, h ON CONFLICT DO NOTHING
            ), chunk AS (
                SELECT (SELECT count(*) FROM moved) AS moved, h.state,
                    CASE WHEN p.picked = ? THEN p.reached ELSE coalesce(a.reached, h.up_to) END AS reached,
                    p.picked < ? AND a.looked_at < %3$d AS exhausted,
                    EXISTS (SELECT FROM {subscription} WHERE name = h.subscription) AS subscribed
                FROM h, (SELECT count(*) AS looked_at, max(position) AS reached FROM looked_at) a,
                    (SELECT count(*) AS picked, max(position) AS reached FROM picked) p
            ), o AS (
                UPDATE {operation} o
                SET reached = c.reached, done = o.done + c.moved,
                    lease_until = clock_timestamp() + ? * interval '1 microsecond',
                    state = CASE WHEN f.finished THEN 'finished' ELSE o.state END,
                    ended_at = CASE WHEN f.finished THEN clock_timestamp() END
                FROM h, chunk c, LATERAL (SELECT c.exhausted AND c.subscribed AND c.state = 'running' AS finished) f
                WHERE o.id = h.id
                RETURNING o.*, c.moved, c.exhausted, c.subscribed
            ), audited AS (
                INSERT INTO {audit} (who, why, action, subscription, operation, details)
                SELECT who, why, 'operation_finished', subscription, id, %6$s FROM o WHERE state = 'finished'
            )
            SELECT moved, done, exhausted, false, subscribed FROM o
            """;

    private final Jdbc jdbc;
    private final PostgresDeadEvents deadEvents;
    private final PostgresSettledChunks settled;
    private final String replay;
    private final String discard;

    PostgresChunks(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.deadEvents = new PostgresDeadEvents(jdbc);
        this.settled = new PostgresSettledChunks(jdbc);
        this.replay = jdbc.sql(replay());
        this.discard = jdbc.sql(discard());
    }

    static String replay() {
        return MOVE.formatted(HELD, Targets.MATCHES, LOOKED_AT_MAX, REPLAY, "parked", COUNTS, "replayed");
    }

    static String discard() {
        return MOVE.formatted(HELD, Targets.MATCHES, LOOKED_AT_MAX, DISCARD, "discarded", COUNTS, "discarded");
    }

    // ---- leases -----------------------------------------------------------------------------------------------------

    @Override
    public List<HeldOperation> take(String node, Set<Long> running, Duration lease, int most) {
        String sql = jdbc.sql("""
                WITH free AS (
                    SELECT id FROM {operation}
                    WHERE ended_at IS NULL AND id <> ALL (?::bigint[])
                      AND (lease_until IS NULL OR lease_until < clock_timestamp() OR owner = ?)
                    ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED
                ), o AS (
                    UPDATE {operation} o
                    SET owner = ?, epoch = o.epoch + 1, lease_until = clock_timestamp() + ? * interval '1 microsecond'
                    FROM free f WHERE o.id = f.id
                    RETURNING o.*
                )
                SELECT %s, o.epoch FROM o ORDER BY o.id
                """.formatted(PostgresOperations.OPERATION));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                new Parameters(update)
                        .numbers(running)
                        .text(node)
                        .number(most)
                        .text(node)
                        .micros(lease);
                List<HeldOperation> held = new ArrayList<>();
                try (ResultSet row = update.executeQuery()) {
                    while (row.next()) {
                        held.add(new HeldOperation(
                                PostgresOperations.operation(row),
                                row.getLong(PostgresOperations.OPERATION_COLUMNS + 1)));
                    }
                }
                return held;
            }
        });
    }

    @Override
    public void release(List<HeldOperation> held) {
        String sql = jdbc.sql("UPDATE {operation} SET owner = NULL, lease_until = NULL WHERE " + HELD);
        jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                for (HeldOperation one : held) {
                    new Parameters(update).number(one.id()).number(one.epoch());
                    update.executeUpdate();
                }
                return held.size();
            }
        });
    }

    // ---- the work ---------------------------------------------------------------------------------------------------

    @Override
    public Optional<Moved> move(HeldOperation held, Room room, Duration lease) {
        if (held.operation().target().isSettled()) {
            return settled.move(held, room, lease);
        }
        boolean replays = held.operation().kind() == Operation.Kind.REPLAY;
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(replays ? replay : discard)) {
                new Parameters(update)
                        .number(held.id())
                        .number(held.epoch())
                        .number(room.most())
                        .number(room.most())
                        .number(room.most())
                        .micros(lease);
                try (ResultSet row = update.executeQuery()) {
                    return row.next() ? Optional.of(moved(row)) : Optional.empty();
                }
            }
        });
    }

    static Moved moved(ResultSet row) throws SQLException {
        return new Moved(row.getInt(1), row.getLong(2), row.getBoolean(3), row.getBoolean(4), row.getBoolean(5));
    }

    static final String WATCH = """
            WITH h AS (
                UPDATE {operation} SET lease_until = clock_timestamp() + ? * interval '1 microsecond'
                WHERE %s RETURNING id
            )
            SELECT (SELECT count(*) FROM (
                        SELECT FROM {delivery} d
                        WHERE d.operation = h.id AND d.status IN ('ready', 'waiting', 'running') LIMIT ?) AS waiting),
                   (SELECT count(*) FROM (
                        SELECT FROM {delivery} d
                        WHERE d.operation = h.id AND d.status IN ('dead', 'expired') LIMIT ?) AS failed)
            FROM h
            """.formatted(HELD);

    @Override
    public Optional<Watched> watch(HeldOperation held, int most, Duration lease) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(jdbc.sql(WATCH))) {
                new Parameters(update)
                        .micros(lease)
                        .number(held.id())
                        .number(held.epoch())
                        .number(most)
                        .number(most);
                try (ResultSet row = update.executeQuery()) {
                    return row.next() ? Optional.of(new Watched(row.getInt(1), row.getInt(2))) : Optional.empty();
                }
            }
        });
    }

    // ---- how it goes on ---------------------------------------------------------------------------------------------

    @Override
    public boolean pass(HeldOperation held) {
        return change(held, "state = 'running'", "operation_canary_passed", List.of());
    }

    @Override
    public boolean stop(HeldOperation held) {
        return change(held, """
                state = 'stopped_by_canary', ended_at = clock_timestamp(), reasons = o.reasons || ARRAY(
                    SELECT DISTINCT left(error, %d) FROM {delivery} f
                    WHERE f.operation = o.id AND f.status IN ('dead', 'expired') AND error IS NOT NULL LIMIT %d)
                """.formatted(REASON_MAX, REASONS_MAX), "operation_stopped_by_canary", List.of());
    }

    @Override
    public boolean fail(HeldOperation held, String why) {
        return change(
                held,
                "state = 'failed', ended_at = clock_timestamp(), reasons = o.reasons || ARRAY[?::text]",
                "operation_failed",
                List.of(why));
    }

    private boolean change(HeldOperation held, String change, String action, List<String> texts) {
        String sql = jdbc.sql("""
                WITH o AS (
                    UPDATE {operation} o SET %s WHERE %s RETURNING o.*
                ), audited AS (
                    INSERT INTO {audit} (who, why, action, subscription, operation, details)
                    SELECT who, why, ?, subscription, id, %s FROM o
                )
                SELECT count(*) FROM o
                """.formatted(change, HELD, COUNTS));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                Parameters parameters = new Parameters(update);
                for (String text : texts) {
                    parameters.text(text);
                }
                parameters.number(held.id()).number(held.epoch()).text(action);
                try (ResultSet row = update.executeQuery()) {
                    row.next();
                    return row.getLong(1) == 1;
                }
            }
        });
    }

    // ---- by schedule ------------------------------------------------------------------------------------------------

    @Override
    public Optional<Operation> reprocess(Operation.Target target, Operation.Pace pace, Duration every, By by) {
        if (target.reprocessedBelow() != null) {
            deadEvents.restoreDue(target.subscription(), target.reprocessedBelow(), every);
        }
        String sql = jdbc.sql("WITH h AS (" + Targets.ROW + "), pace AS (" + PostgresOperations.PACE + """
                ), run AS (
                    INSERT INTO {reprocess} AS r (subscription, ran_at)
                    SELECT s.name, now() FROM {subscription} s JOIN h ON s.name = h.subscription
                    ON CONFLICT (subscription) DO UPDATE SET ran_at = excluded.ran_at
                    WHERE r.ran_at <= now() - ? * interval '1 microsecond'
                    RETURNING r.xmax = 0 AS first
                ), due AS (
                    SELECT FROM run WHERE NOT first AND NOT EXISTS (
                        SELECT FROM {operation} g JOIN h ON g.subscription = h.subscription
                        WHERE g.ended_at IS NULL AND g.reprocessed_below IS NOT NULL)
                )
                """
                + PostgresOperations.start("c.total > 0"));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(sql)) {
                Parameters parameters = new Parameters(write);
                Targets.bind(parameters, target);
                PostgresOperations.bindPace(parameters, Operation.Kind.REPLAY, pace, by);
                parameters.micros(every);
                return PostgresOperations.first(write);
            }
        });
    }
}
