package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.operate.Operations;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Previews and starts of operations about settled events. The log is looked through between the positions that the
 * range and the times give, lane by lane and segment by segment. No segment stays locked: chunks make the rows.
 */
final class PostgresSettledOperations {
    private static final String PARTS = "WITH h AS (" + Targets.ROW + "), s AS ("
            + SettledEvents.subscription("'infinity'::timestamptz") + "), l AS MATERIALIZED (" + SettledEvents.LANES
            + ")";

    static final String COUNT = PARTS + " SELECT count(*) FILTER (WHERE " + SettledEvents.TAKEN
            + "), count(*) FILTER (WHERE NOT " + SettledEvents.TAKEN + ")" + SettledEvents.EVENTS_UNLOCKED;

    /** Each lane's first, and of those the first. */
    static final String SAMPLE = PARTS + " SELECT " + Rows.DELIVERY
            + """
             FROM h, s, l CROSS JOIN LATERAL (
                SELECT o.position, o.id, o.type, o.key, 'waiting' AS status, 0 AS attempt,
                    greatest(now(), o.deliver_at) AS due_at, false AS suspect, NULL AS error,
                    NULL::timestamptz AS expires_at, o.priority, false AS behind
                FROM (%s ORDER BY e.position OFFSET 0) o %s
                WHERE %s AND %s
                LIMIT ?
            ) d
            ORDER BY d.position LIMIT ?
            """.formatted(
                            SettledEvents.EVENTS_OF_LANE_UNLOCKED,
                            SettledEvents.KNOWN,
                            SettledEvents.MATCHES,
                            SettledEvents.TAKEN);

    private static final String NOT_TAKEN = "CASE WHEN c.not_taken = 1 THEN " + quoted(Operations.ONE_NOT_TAKEN)
            + " WHEN c.not_taken > 1 THEN c.not_taken || "
            + quoted(Operations.SOME_NOT_TAKEN) + " END";

    static final String START = PARTS + ", pace AS (" + PostgresOperations.PACE + ")"
            + """
            , counted AS (
                SELECT count(*) FILTER (WHERE %1$s) AS total, count(*) FILTER (WHERE NOT %1$s) AS not_taken,
                    coalesce(max(o.position), 0) AS up_to %2$s
            ), o AS (
                INSERT INTO {operation} (%3$s, kind, per_second, canary, canary_failures, who, why, state,
                    total, up_to, started_at, reasons)
                SELECT h.*, p.*, CASE WHEN p.canary > 0 THEN 'canary' ELSE 'running' END, c.total, c.up_to,
                    clock_timestamp(), array_remove(ARRAY[%4$s, ?::text], NULL)
                FROM h, s, pace p, counted c
                RETURNING *
            ), lanes AS (
                INSERT INTO {operation_lane} SELECT o.id, l.* FROM o, l
            )
            """.formatted(SettledEvents.TAKEN, SettledEvents.EVENTS_UNLOCKED, Targets.COLUMNS, NOT_TAKEN)
            + PostgresOperations.STARTED;

    private final Jdbc jdbc;
    private final Segments log;

    PostgresSettledOperations(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.log = new Segments(jdbc, "event_log", "event_position", 1);
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    Operations.Preview preview(Operation.Target target, int sample) {
        return jdbc.autocommit(connection -> {
            List<String> leftOut = new ArrayList<>();
            try (PreparedStatement count = connection.prepareStatement(jdbc.sql(COUNT))) {
                Targets.bind(new Parameters(count), target);
                try (ResultSet row = count.executeQuery()) {
                    row.next();
                    if (row.getLong(2) > 0) {
                        leftOut.add(Operations.notTaken(row.getLong(2)));
                    }
                    String pruned = pruned(connection, target);
                    if (pruned != null) {
                        leftOut.add(pruned);
                    }
                    return new Operations.Preview(row.getLong(1), sample(connection, target, sample), leftOut);
                }
            }
        });
    }

    private List<Delivery> sample(Connection connection, Operation.Target target, int most) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(SAMPLE))) {
            Parameters parameters = new Parameters(select);
            Targets.bind(parameters, target);
            parameters.number(most).number(most);
            List<Delivery> rows = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows.add(Rows.delivery(row, 1));
                }
            }
            return rows;
        }
    }

    /** That some of the range is in the log no more, or null. */
    private @Nullable String pruned(Connection connection, Operation.Target target) throws SQLException {
        long first = log.first(connection);
        Position from = target.range().from();
        boolean some = first > 1 && (from == null || from.value() <= lastDrawnBelow(connection, first));
        return some ? Operations.pruned(first) : null;
    }

    /** Behind the last event of a segment is a gap up to the next one. */
    private long lastDrawnBelow(Connection connection, long first) throws SQLException {
        String sql = jdbc.sql("SELECT min(after) FROM {gap} WHERE log = 'event_log' AND before = " + first);
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            long last = row.getLong(1);
            return row.wasNull() ? first - 1 : last;
        }
    }

    Optional<Operation> start(Operation.Target target, Operation.Pace pace, By by) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(jdbc.sql(START))) {
                Parameters parameters = new Parameters(write);
                Targets.bind(parameters, target);
                PostgresOperations.bindPace(parameters, Operation.Kind.REPLAY, pace, by);
                parameters.text(pruned(connection, target));
                return PostgresOperations.first(write);
            }
        });
    }
}
