package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.operate.Delivery;
import io.postrider.store.Ownership;
import io.postrider.store.Park;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Park: parts of a lane's delivery rows, each found by an index, however many rows there are.
 *
 * <p>Rows in front are in the index {@code delivery_front} by their time, rows behind others in {@code delivery_behind}
 * by their keys, and both in {@code delivery_blocks}. A window reads so many rows in front and puts those behind that
 * have another one of their key before them, so that one key with many rows does not fill it. Reading is not fenced,
 * changing is: the holder of a lost lane learns of its loss when it settles.
 *
 * <p>Each look has the order of its index or is asked for lane by lane, and each change finds its row by the primary
 * key alone: where statistics are missing, PostgreSQL takes any partial index whose condition is named.
 */
final class PostgresPark implements Park {
    /** Rows that block their keys; the conditions are those of the indexes. */
    private static final String WAITING =
            "%1$s.key IS NOT NULL AND %1$s.status IN ('waiting', 'running') AND %1$s.lease_until IS NULL";

    private static final String WAITING_OR_DEAD =
            "%1$s.key IS NOT NULL AND %1$s.status IN ('waiting', 'running', 'dead')"
                    + " AND %1$s.lease_until IS NULL AND NOT %1$s.released";

    private static final String FENCE = """
            fence AS (
                SELECT subscription, lane FROM {lane} WHERE subscription = ? AND lane = ? AND epoch = ? FOR SHARE
            )
            """;

    private final Jdbc jdbc;

    PostgresPark(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    private static String blocks(Wanted wanted, String row) {
        return (wanted == Wanted.WAITING_AND_DEAD ? WAITING_OR_DEAD : WAITING).formatted(row);
    }

    // ---- the window -------------------------------------------------------------------------------------------------

    @Override
    public Window window(Ownership ownership, View view) {
        return jdbc.autocommit(connection -> Objects.requireNonNull(
                windows(connection, List.of(ownership), view).get(ownership.lane())));
    }

    /** A window for each of these lanes of one subscription. */
    Map<Lane, Window> windows(Connection connection, List<Ownership> lanes, View view) throws SQLException {
        Map<Lane, Part> parts = new HashMap<>();
        lanes.forEach(ownership -> parts.put(ownership.lane(), new Part(view.most())));
        if (view.wanted() != Wanted.NONE) {
            rows(connection, lanes, view, parts);
            count(connection, lanes, view, parts);
        }
        Map<Lane, Window> windows = new HashMap<>();
        parts.forEach((lane, part) -> windows.put(lane, part.window()));
        return windows;
    }

    /** What is gathered of one lane. */
    private static final class Part {
        private final int most;
        private final List<Delivery> rows = new ArrayList<>();
        private @Nullable Instant beyond;
        private int front;
        private int dead;
        private int demoted;
        private long failing;
        private long behind;

        Part(int most) {
            this.most = most;
        }

        void add(Delivery row, boolean blocked, boolean written) {
            if (row.status() == Delivery.Status.DEAD) {
                dead++;
                if (dead > most) {
                    return;
                }
            } else if (row.status() == Delivery.Status.WAITING && !row.behind()) {
                front++;
                demoted += written ? 1 : 0;
                if (front > most) {
                    beyond = row.dueAt();
                }
                if (front > most || blocked) {
                    return;
                }
            }
            rows.add(row.behind(false));
        }

        Window window() {
            return new Window(rows, beyond, dead > most, failing, behind, demoted);
        }
    }

    static String windowSql(Wanted wanted) {
        String front = """
                SELECT d.* FROM {delivery} d
                WHERE d.subscription = l.subscription AND d.lane = l.lane AND d.status = 'waiting' AND NOT d.behind
                  AND least(d.attempt, 1) = %d
                ORDER BY d.due_at, d.position LIMIT ?
                """;
        String blocked = wanted.ordered() ? """
                EXISTS (SELECT FROM {delivery} f
                    WHERE f.subscription = d.subscription AND f.lane = d.lane AND f.key = d.key
                      AND f.position < d.position AND %s)
                """.formatted(blocks(wanted, "f")) : "false";
        String first =
                wanted.ordered() ? """
                SELECT d.* FROM (SELECT DISTINCT subscription, lane, key FROM front WHERE blocked) k
                CROSS JOIN LATERAL (
                    SELECT d.* FROM {delivery} d
                    WHERE d.subscription = k.subscription AND d.lane = k.lane AND d.key = k.key AND %s
                    ORDER BY d.position LIMIT 1
                ) d
                WHERE d.behind
                """.formatted(blocks(wanted, "d")) : "SELECT d.* FROM {delivery} d WHERE false";
        String dead = wanted == Wanted.WAITING_AND_DEAD ? """
                UNION ALL
                SELECT 4 AS part, %s, l.lane, false AS blocked, false AS written, NULL AS due
                FROM l CROSS JOIN LATERAL (
                    SELECT d.* FROM {delivery} d
                    WHERE d.subscription = l.subscription AND d.lane = l.lane AND d.status = 'dead' AND NOT d.released
                    ORDER BY d.position LIMIT ?
                ) d
                """.formatted(Rows.DELIVERY) : "";
        return """
                WITH l AS (
                    SELECT ?::text AS subscription, lane, epoch
                    FROM unnest(?::smallint[], ?::bigint[]) AS l (lane, epoch)
                ), front AS MATERIALIZED (
                    SELECT d.*, l.epoch, %2$s AS blocked FROM l CROSS JOIN LATERAL (
                        SELECT * FROM ((%3$s) UNION ALL (%4$s)) AS d ORDER BY d.due_at, d.position LIMIT ?
                    ) d
                ), first AS MATERIALIZED (
                    %6$s
                ), fence AS (
                    SELECT n.subscription, n.lane FROM {lane} n
                    WHERE (n.subscription, n.lane, n.epoch) IN (
                        SELECT subscription, lane, epoch FROM front WHERE blocked)
                    FOR SHARE
                ), demoted AS (
                    UPDATE {delivery} d SET behind = true FROM front r, fence n
                    WHERE r.blocked AND n.lane = r.lane AND d.subscription = r.subscription AND d.lane = r.lane
                      AND d.position = r.position AND coalesce(d.status, '') = 'waiting' RETURNING d.lane, d.position
                ), promoted AS (
                    UPDATE {delivery} d SET behind = false FROM first r, fence n
                    WHERE n.lane = r.lane AND d.subscription = r.subscription AND d.lane = r.lane
                      AND d.position = r.position
                )
                SELECT 1 AS part, %1$s, l.lane, false AS blocked, false AS written, NULL::timestamptz AS due
                FROM l CROSS JOIN LATERAL (
                    SELECT d.* FROM {delivery} d
                    WHERE d.subscription = l.subscription AND d.lane = l.lane AND d.status = 'running'
                      AND d.lease_until IS NULL
                    OFFSET 0
                ) d
                UNION ALL
                SELECT 2 AS part, %1$s, d.lane, d.blocked, (d.lane, d.position) IN (TABLE demoted) AS written,
                    d.due_at AS due FROM front d
                UNION ALL
                SELECT 3 AS part, %1$s, d.lane, false AS blocked, false AS written, d.due_at AS due FROM first d
                %5$s
                ORDER BY part, due, position
                """.formatted(Rows.DELIVERY, blocked, front.formatted(0), front.formatted(1), dead, first);
    }

    private void rows(Connection connection, List<Ownership> lanes, View view, Map<Lane, Part> parts)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(windowSql(view.wanted())))) {
            int most = view.most() + 1;
            Parameters parameters = new Parameters(select)
                    .text(lanes.get(0).subscription())
                    .numbers(numbers(lanes))
                    .numbers(lanes.stream().map(Ownership::epoch).toList())
                    .number(most)
                    .number(most)
                    .number(most);
            if (view.wanted() == Wanted.WAITING_AND_DEAD) {
                parameters.number(most);
            }
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    int next = Rows.DELIVERY_COLUMNS + 2;
                    Part part = Objects.requireNonNull(parts.get(new Lane(row.getInt(next))));
                    part.add(Rows.delivery(row, 2), row.getBoolean(next + 1), row.getBoolean(next + 2));
                }
            }
        }
    }

    static final String COUNT = """
            SELECT l.lane,
                (SELECT count(*) FROM (
                    SELECT FROM {delivery} d
                    WHERE d.subscription = ? AND d.lane = l.lane AND d.status = 'waiting' AND NOT d.behind
                      AND least(d.attempt, 1) = 1
                    ORDER BY d.due_at, d.position LIMIT ?) AS failing),
                (SELECT count(*) FROM (
                    SELECT FROM {delivery} d WHERE d.subscription = ? AND d.lane = l.lane AND d.behind
                    ORDER BY d.key LIMIT ?) AS behind)
            FROM unnest(?::smallint[]) AS l (lane)
            """;

    private void count(Connection connection, List<Ownership> lanes, View view, Map<Lane, Part> parts)
            throws SQLException {
        String subscription = lanes.get(0).subscription();
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(COUNT))) {
            new Parameters(select)
                    .text(subscription)
                    .number(view.count())
                    .text(subscription)
                    .number(view.count())
                    .numbers(numbers(lanes));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    Part part = Objects.requireNonNull(parts.get(new Lane(row.getInt(1))));
                    part.failing = row.getLong(2);
                    part.behind = row.getLong(3);
                }
            }
        }
    }

    private static List<Long> numbers(List<Ownership> lanes) {
        return lanes.stream().map(ownership -> (long) ownership.lane().number()).toList();
    }

    // ---- keys -------------------------------------------------------------------------------------------------------

    /** Key by key: a semi-join would be planned as a hash of all rows where statistics are missing. */
    static String blockedSql(Wanted wanted) {
        return """
                SELECT k.key FROM unnest(?::text[]) AS k (key) CROSS JOIN LATERAL (
                    SELECT FROM {delivery} d WHERE d.subscription = ? AND d.lane = ? AND d.key = k.key AND %s
                    ORDER BY d.position LIMIT 1
                ) d
                """.formatted(blocks(wanted, "d"));
    }

    @Override
    public Set<String> blocked(Ownership ownership, Wanted wanted, Collection<String> keys) {
        if (!wanted.ordered()) {
            return Set.of();
        }
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(jdbc.sql(blockedSql(wanted)))) {
                new Parameters(select)
                        .texts(keys)
                        .text(ownership.subscription())
                        .number(ownership.lane().number());
                Set<String> blocked = new HashSet<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        blocked.add(row.getString(1));
                    }
                }
                return blocked;
            }
        });
    }

    static String followSql(Wanted wanted) {
        return """
                WITH first AS MATERIALIZED (
                    SELECT d.*, row_number() OVER (PARTITION BY d.key ORDER BY d.position) AS place
                    FROM unnest(?::text[]) AS k (key) CROSS JOIN LATERAL (
                        SELECT d.* FROM {delivery} d
                        WHERE d.subscription = ? AND d.lane = ? AND d.key = k.key AND %s
                        ORDER BY d.position LIMIT ?
                    ) d
                ), %s, promoted AS (
                    UPDATE {delivery} d SET behind = false FROM first f, fence n
                    WHERE f.place = 1 AND f.behind AND d.subscription = n.subscription AND d.lane = n.lane
                      AND d.position = f.position
                )
                SELECT %s FROM first d ORDER BY d.position
                """.formatted(blocks(wanted, "d"), FENCE, Rows.DELIVERY);
    }

    @Override
    public List<Delivery> follow(Ownership ownership, Wanted wanted, Collection<String> keys, int most) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(jdbc.sql(followSql(wanted)))) {
                fence(
                        new Parameters(update)
                                .texts(keys)
                                .text(ownership.subscription())
                                .number(ownership.lane().number())
                                .number(most),
                        ownership);
                List<Delivery> rows = new ArrayList<>();
                try (ResultSet row = update.executeQuery()) {
                    while (row.next()) {
                        rows.add(Rows.delivery(row, 1));
                    }
                }
                return rows;
            }
        });
    }

    private static Parameters fence(Parameters parameters, Ownership ownership) throws SQLException {
        return parameters
                .text(ownership.subscription())
                .number(ownership.lane().number())
                .number(ownership.epoch());
    }

    // ---- promote ----------------------------------------------------------------------------------------------------

    /** From one key to the next by the index, however many rows each of them has. */
    static String promoteSql(Wanted wanted) {
        return """
                WITH RECURSIVE %1$s, looked AS (
                    (SELECT d.key FROM {delivery} d JOIN fence n ON d.subscription = n.subscription AND d.lane = n.lane
                     WHERE d.behind AND d.key > ? ORDER BY d.key LIMIT 1)
                    UNION ALL
                    SELECT (SELECT d.key FROM {delivery} d
                            WHERE d.subscription = ? AND d.lane = ? AND d.behind AND d.key > l.key
                            ORDER BY d.key LIMIT 1)
                    FROM looked l WHERE l.key IS NOT NULL
                ), k AS MATERIALIZED (
                    SELECT key FROM looked WHERE key IS NOT NULL LIMIT ?
                ), orphan AS (
                    SELECT d.subscription, d.lane, d.position FROM k CROSS JOIN LATERAL (
                        SELECT d.subscription, d.lane, d.position, d.behind FROM {delivery} d
                        WHERE d.subscription = ? AND d.lane = ? AND d.key = k.key AND %2$s
                        ORDER BY d.position LIMIT 1
                    ) d
                    WHERE d.behind
                ), promoted AS (
                    UPDATE {delivery} d SET behind = false FROM orphan o
                    WHERE d.subscription = o.subscription AND d.lane = o.lane AND d.position = o.position
                    RETURNING 1
                )
                SELECT (SELECT count(*) FROM k), (SELECT max(key) FROM k), (SELECT count(*) FROM promoted)
                """.formatted(FENCE, blocks(wanted, "d"));
    }

    static final String PROMOTE_ALL = "WITH " + FENCE + """
            , swept AS (
                SELECT d.subscription, d.lane, d.position
                FROM {delivery} d JOIN fence n ON d.subscription = n.subscription AND d.lane = n.lane
                WHERE d.behind LIMIT ?
            ), promoted AS (
                UPDATE {delivery} d SET behind = false FROM swept o
                WHERE d.subscription = o.subscription AND d.lane = o.lane AND d.position = o.position
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM swept), '', (SELECT count(*) FROM promoted)
            """;

    @Override
    public Promoted promote(Ownership ownership, Wanted wanted, String after, int most) {
        boolean ordered = wanted.ordered();
        String sql = jdbc.sql(ordered ? promoteSql(wanted) : PROMOTE_ALL);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                Parameters parameters = fence(new Parameters(update), ownership);
                if (ordered) {
                    lane(parameters.text(after), ownership).number(most);
                    lane(parameters, ownership);
                } else {
                    parameters.number(most);
                }
                try (ResultSet row = update.executeQuery()) {
                    row.next();
                    return new Promoted(row.getInt(1) < most ? null : row.getString(2), row.getInt(3));
                }
            }
        });
    }

    private static Parameters lane(Parameters parameters, Ownership ownership) throws SQLException {
        return parameters.text(ownership.subscription()).number(ownership.lane().number());
    }
}
