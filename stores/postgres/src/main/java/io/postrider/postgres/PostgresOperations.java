package io.postrider.postgres;

import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.operate.Operation;
import io.postrider.operate.Operations;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Operations: rows that say what is to be done; {@link PostgresChunks} does it. */
final class PostgresOperations implements Operations {
    static final String COUNT = "WITH h AS (" + Targets.ROW + ") SELECT count(*) " + Targets.ROWS;
    /** State by state, because only within one the index has them by position. */
    static final String SAMPLE =
            "WITH h AS (" + Targets.ROW + ") SELECT " + Rows.DELIVERY + """

            FROM h CROSS JOIN unnest(h.states) AS s (status) CROSS JOIN LATERAL (
                SELECT d.* FROM {delivery} d
                WHERE d.subscription = h.subscription AND d.status = s.status AND\s""" + Targets.MATCHES + """
                ORDER BY d.position LIMIT ?
            ) d
            ORDER BY d.position LIMIT ?
            """;

    /**
     * An operation {@code o} as {@link #operation} reads it. Of a replay, what waits and what has failed again is
     * counted from the rows that name it.
     */
    static final String OPERATION = "o." + Targets.COLUMNS.replace(", ", ", o.") + """
            , o.id, o.kind, o.per_second, o.canary, o.canary_failures, o.who, o.why, o.state, o.started_at, o.ended_at,
            o.total, o.done,
            (SELECT count(*) FROM {delivery} w
             WHERE w.operation = o.id AND w.status IN ('ready', 'waiting', 'running')),
            (SELECT count(*) FROM {delivery} f WHERE f.operation = o.id AND f.status IN ('dead', 'expired')),
            o.reasons
            """;

    static final int OPERATION_COLUMNS = Targets.COLUMN_COUNT + 15;

    /** The entry of the operation {@code o} that has started, and the answer. */
    static final String STARTED = """
            , audited AS (
                INSERT INTO {audit} (who, why, action, subscription, operation, details)
                SELECT who, why, 'operation_started', subscription, id, json_strip_nulls(json_build_object(
                    'kind', kind, 'states', array_to_string(states, ', '), 'total', total::text, 'type', type,
                    'key', key, 'tenant', tenant, 'userId', user_id, 'correlationId', correlation_id,
                    'from', appended_from::text, 'until', appended_until::text,
                    'fromPosition', from_position::text, 'toPosition', to_position::text,
                    'errorContains', error_contains,
                    'perSecond', nullif(per_second, 0)::text, 'canary', nullif(canary, 0)::text))
                FROM o
            )
            SELECT %s FROM o
            """.formatted(OPERATION);

    /**
     * Inserts the operation that {@code h} and {@code pace} describe, if {@code due} has a row, with its entry. A
     * statement sees what was committed between its {@code now()} and its snapshot; what it has counted is meant, so
     * the start is not before the latest change among those rows.
     */
    static final String START = """
            , counted AS (
                SELECT c.* FROM due CROSS JOIN LATERAL (
                    SELECT count(*) AS total, coalesce(max(d.position), 0) AS up_to,
                        greatest(now(), max(d.changed_at)) AS started_at %1$s) c
            ), o AS (
                INSERT INTO {operation} (%2$s, kind, per_second, canary, canary_failures, who, why, state,
                    total, up_to, started_at)
                SELECT h.*, p.*, CASE WHEN p.canary > 0 THEN 'canary' ELSE 'running' END, c.*
                FROM h, pace p, counted c
                WHERE %3$s
                RETURNING *
            )
            %4$s
            """;

    /** A row of parameters, in the order {@link #bindPace} binds them. */
    static final String PACE = """
            SELECT ?::text AS kind, ?::int AS per_second, ?::int AS canary, ?::int AS failures,
                ?::text AS who, ?::text AS why
            """;

    private final Jdbc jdbc;
    private final PostgresDeadEvents deadEvents;
    private final PostgresSettledOperations settled;

    PostgresOperations(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.settled = new PostgresSettledOperations(jdbc);
        this.deadEvents = new PostgresDeadEvents(jdbc);
    }

    @Override
    public Preview preview(Operation.Target target, int sample) {
        new KnownSubscriptions(jdbc).require(target.subscription());
        if (target.isSettled()) {
            return settled.preview(target, sample);
        }
        deadEvents.restore(target.subscription());
        return jdbc.autocommit(connection -> {
            List<Delivery> rows = new ArrayList<>();
            try (PreparedStatement count = connection.prepareStatement(jdbc.sql(COUNT));
                    PreparedStatement first = connection.prepareStatement(jdbc.sql(SAMPLE))) {
                Targets.bind(new Parameters(count), target);
                Parameters parameters = new Parameters(first);
                Targets.bind(parameters, target);
                parameters.number(sample).number(sample);
                try (ResultSet row = first.executeQuery()) {
                    while (row.next()) {
                        rows.add(Rows.delivery(row, 1));
                    }
                }
                try (ResultSet row = count.executeQuery()) {
                    row.next();
                    return new Preview(row.getLong(1), rows, List.of());
                }
            }
        });
    }

    @Override
    public Optional<Operation> start(Operation.Kind kind, Operation.Target target, Operation.Pace pace, By by) {
        kind.requireFits(target);
        new KnownSubscriptions(jdbc).require(target.subscription());
        if (target.isSettled()) {
            return settled.start(target, pace, by);
        }
        deadEvents.restore(target.subscription());
        String sql = jdbc.sql("WITH h AS (" + Targets.ROW + "), pace AS (" + PACE + "), due AS ("
                + "SELECT FROM {subscription} s JOIN h ON s.name = h.subscription)" + start("true"));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(sql)) {
                Parameters parameters = new Parameters(write);
                Targets.bind(parameters, target);
                bindPace(parameters, kind, pace, by);
                return first(write);
            }
        });
    }

    static String start(String condition) {
        return START.formatted(Targets.ROWS, Targets.COLUMNS, condition, STARTED);
    }

    static void bindPace(Parameters write, Operation.Kind kind, Operation.Pace pace, By by) throws SQLException {
        write.text(name(kind))
                .number(pace.perSecond())
                .number(kind == Operation.Kind.REPLAY ? pace.canary() : 0)
                .number(pace.canaryFailures())
                .text(by.who())
                .text(by.why());
    }

    static Optional<Operation> first(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(operation(row)) : Optional.empty();
        }
    }

    @Override
    public Operate.Answer cancel(long operation, By by) {
        String sql = jdbc.sql("""
                WITH o AS (
                    UPDATE {operation} SET state = 'cancelled', ended_at = clock_timestamp()
                    WHERE id = ? AND ended_at IS NULL RETURNING *
                ), audited AS (
                    INSERT INTO {audit} (who, why, action, subscription, operation, details)
                    SELECT ?, ?, 'operation_cancelled', subscription, id, %s FROM o
                )
                SELECT (SELECT count(*) FROM o), EXISTS (SELECT FROM {operation} WHERE id = ?)
                """.formatted(PostgresChunks.COUNTS));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(sql)) {
                new Parameters(write)
                        .number(operation)
                        .text(by.who())
                        .text(by.why())
                        .number(operation);
                try (ResultSet row = write.executeQuery()) {
                    row.next();
                    Operate.Answer ended = row.getBoolean(2) ? Operate.Answer.NOTHING : Operate.Answer.NO_OPERATION;
                    return row.getLong(1) == 1 ? Operate.Answer.DONE : ended;
                }
            }
        });
    }

    @Override
    public Optional<Operation> find(long operation) {
        return select("o.id = ?", operation, 1).stream().findFirst();
    }

    @Override
    public List<Operation> list(@Nullable String subscription, long before, int limit) {
        return subscription == null
                ? select("o.id < ?", before, limit)
                : select("o.id < ? AND o.subscription = ?", before, limit, subscription);
    }

    private List<Operation> select(String condition, long id, int limit, String... names) {
        String sql = jdbc.sql(
                "SELECT " + OPERATION + " FROM {operation} o WHERE " + condition + " ORDER BY o.id DESC LIMIT ?");
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                Parameters parameters = new Parameters(select).number(id);
                for (String name : names) {
                    parameters.text(name);
                }
                parameters.number(limit);
                List<Operation> operations = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        operations.add(operation(row));
                    }
                }
                return operations;
            }
        });
    }

    static Operation operation(ResultSet row) throws SQLException {
        int column = Targets.COLUMN_COUNT;
        return new Operation(
                row.getLong(++column),
                Operation.Kind.valueOf(row.getString(++column).toUpperCase(Locale.ROOT)),
                Targets.target(row, 1),
                new Operation.Pace(row.getInt(++column), row.getInt(++column), row.getInt(++column)),
                new By(row.getString(++column), row.getString(++column)),
                Operation.State.valueOf(row.getString(++column).toUpperCase(Locale.ROOT)),
                Objects.requireNonNull(Rows.time(row, ++column)),
                Rows.time(row, ++column),
                new Operation.Progress(
                        row.getLong(++column), row.getLong(++column), row.getLong(++column), row.getLong(++column)),
                Targets.texts(row, ++column));
    }

    static String name(Operation.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
