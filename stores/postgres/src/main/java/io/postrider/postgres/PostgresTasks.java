package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tasks: rows under leases, each verb one statement. Rows that somebody else has locked are left to them; those that
 * are picked are locked, and so found again by where they are, without a join that might scan the table.
 */
final class PostgresTasks implements Tasks {
    /** Rows that one call makes ready at most, of each kind. */
    private static final int SWEPT_MAX = 1_000;

    /** What a row that waits for an operator keeps of its event, so that it is found by it. */
    private static final String KEEP = """
            (headers, tenant, appended_at) = (
                        SELECT coalesce(d.headers,
                                CASE WHEN octet_length({header}(e.headers, 'userId')) > 2000 THEN NULL
                                     ELSE e.headers END),
                            coalesce(d.tenant, CASE WHEN octet_length(e.tenant) > 2000 THEN NULL ELSE e.tenant END),
                            coalesce(d.appended_at, e.appended_at)
                        FROM (SELECT) AS one LEFT JOIN LATERAL
                            {event_at}(d.lane, CASE WHEN %s THEN d.position END) e ON true)""";

    /**
     * The subscription's row is locked against a change of its kind: a task made ready behind that change would be
     * found by nobody.
     */
    static final String PREPARE = """
            WITH mine AS MATERIALIZED (
                SELECT FROM {subscription} WHERE name = ? AND filter = coalesce(?::text, filter) FOR SHARE
            ), passed AS (
                UPDATE {delivery} d SET status = 'expired', changed_at = now(), %3$s
                WHERE d.ctid = ANY (ARRAY(
                    SELECT ctid FROM {delivery}
                    WHERE EXISTS (SELECT FROM mine) AND subscription = ? AND status IN ('ready', 'waiting')
                      AND expires_at <= now()
                    ORDER BY expires_at LIMIT %1$d FOR UPDATE SKIP LOCKED))
                RETURNING d.*
            ), due AS (
                UPDATE {delivery} d SET status = 'ready', changed_at = now()
                WHERE d.ctid = ANY (ARRAY(
                    SELECT ctid FROM {delivery}
                    WHERE EXISTS (SELECT FROM mine) AND subscription = ? AND status = 'waiting' AND due_at <= now()
                      AND (expires_at IS NULL OR expires_at > now())
                    ORDER BY due_at LIMIT %1$d FOR UPDATE SKIP LOCKED))
                RETURNING 1
            ), left_over AS (
                UPDATE {delivery} d SET status = 'ready', owner = NULL, lease_until = NULL, changed_at = now(),
                    suspect = d.attempt > 1,
                    error = '%4$s' || d.owner || coalesce('%5$s' || CASE
                        WHEN NOT starts_with(d.error, '%4$s') THEN d.error
                        WHEN position('%5$s' IN d.error) > 0
                            THEN substr(d.error, position('%5$s' IN d.error) + length('%5$s')) END, '')
                WHERE d.ctid = ANY (ARRAY(
                    SELECT ctid FROM {delivery}
                    WHERE EXISTS (SELECT FROM mine) AND subscription = ? AND lease_until < now()
                      AND (lane, position, claim) <> ALL (
                          SELECT * FROM unnest(?::smallint[], ?::bigint[], ?::text[]::xid8[]))
                      AND (owner = ? OR lease_until < now() - ? * interval '1 microsecond'
                           OR NOT EXISTS (
                              SELECT FROM {node} n WHERE n.id = owner AND n.lease_until > clock_timestamp()))
                    ORDER BY lease_until LIMIT %1$d FOR UPDATE SKIP LOCKED))
                RETURNING d.subscription, d.position, d.attempt
            ), tried AS (
                INSERT INTO {attempt} (subscription, position, attempt, outcome, error)
                SELECT subscription, position, attempt, 'expired', error FROM passed
                UNION ALL
                SELECT subscription, position, attempt, 'lost', NULL FROM left_over
            ), tallied AS (
                INSERT INTO {tally} (subscription, parked, expired)
                SELECT subscription, -count(*), count(*) FROM passed GROUP BY subscription
            )
            SELECT (SELECT count(*) FROM due) + (SELECT count(*) FROM left_over),
                EXISTS (SELECT FROM {delivery} WHERE subscription = ? AND status = 'ready' AND suspect), %2$s
            FROM (SELECT) AS one LEFT JOIN passed d ON true
            """.formatted(SWEPT_MAX, Rows.DELIVERY, KEEP.formatted("true"), LOST_BY, BEFORE_THAT);

    /**
     * Two picks, because no index has both orders; what expires soon is in the first, all else in the second. Nothing
     * where the subscription has another filter than the claimant: it might have no route for a task, and skip it. The
     * subscription's row is locked against a change of the filter, which takes back what was claimed before it and
     * would not see what is claimed beside it. Behind this lock a claim waits for nobody.
     */
    static final String CLAIM = """
            WITH mine AS MATERIALIZED (
                SELECT FROM {subscription} WHERE name = ? AND filter = coalesce(?::text, filter) FOR SHARE
            ), soon AS (
                SELECT ctid FROM {delivery}
                WHERE EXISTS (SELECT FROM mine) AND subscription = ? AND status = 'ready' AND suspect = ?
                  AND ? = (type = ANY (?::text[]))
                  AND expires_at > now() AND expires_at <= now() + ? * interval '1 microsecond'
                ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED
            ), others AS (
                SELECT ctid FROM {delivery}
                WHERE EXISTS (SELECT FROM mine) AND subscription = ? AND status = 'ready' AND suspect = ?
                  AND ? = (type = ANY (?::text[]))
                  AND (expires_at IS NULL OR expires_at > now() + ? * interval '1 microsecond')
                ORDER BY priority DESC, position LIMIT ? - (SELECT count(*) FROM soon) FOR UPDATE SKIP LOCKED
            ), d AS (
                UPDATE {delivery} d
                SET status = 'running', attempt = d.attempt + 1, owner = ?, changed_at = now(),
                    claim = pg_current_xact_id(),
                    lease_until = clock_timestamp() + ? * interval '1 microsecond'
                WHERE d.ctid = ANY (ARRAY(SELECT ctid FROM soon UNION ALL SELECT ctid FROM others))
                RETURNING d.*
            )
            SELECT %s, %s, d.lane, d.claim::text FROM d %s
            """.formatted(Rows.DELIVERY, Rows.EVENT, PostgresClaim.EVENT_IF_ANY);

    private static final String RENEW = """
            UPDATE {delivery} d SET lease_until = clock_timestamp() + ? * interval '1 microsecond'
            FROM unnest(?::smallint[], ?::bigint[], ?::text[]::xid8[]) AS held (lane, position, claim)
            WHERE d.subscription = ? AND d.lane = held.lane AND d.position = held.position
              AND d.claim = held.claim AND d.status = 'running'
            RETURNING d.lane, d.position, d.claim::text
            """;

    private static final String SETTLE = """
            WITH mine AS (
                SELECT g.*, d.owner, d.attempt FROM {delivery} d
                JOIN unnest(?::smallint[], ?::bigint[], ?::text[]::xid8[], ?::text[], ?::int[], ?::timestamptz[],
                        ?::text[], ?::text[], ?::int[], ?::int[], ?::int[], ?::int[], ?::int[])
                    AS g (lane, position, claim, left_status, left_attempt, left_due, left_error,
                          left_stack, delivered, skipped, parked, dead, expired)
                  ON d.lane = g.lane AND d.position = g.position AND d.claim = g.claim
                WHERE d.subscription = ? AND d.status = 'running'
                FOR UPDATE OF d
            ), gone AS (
                DELETE FROM {delivery} d USING mine m
                WHERE m.left_status IS NULL AND d.subscription = ? AND d.lane = m.lane AND d.position = m.position
            ), changed AS (
                UPDATE {delivery} d
                SET status = m.left_status, attempt = m.left_attempt, due_at = m.left_due, error = m.left_error,
                    suspect = false, owner = NULL, lease_until = NULL, changed_at = now(), %s
                FROM mine m
                WHERE m.left_status IS NOT NULL AND d.subscription = ? AND d.lane = m.lane AND d.position = m.position
            ), tried AS (
                INSERT INTO {attempt} (subscription, position, attempt, outcome, error, node, stack)
                SELECT ?, position, attempt,
                    CASE left_status WHEN 'waiting' THEN 'retrying'
                        ELSE coalesce(left_status, CASE WHEN skipped > 0 THEN 'skipped' ELSE 'delivered' END) END,
                    left_error, owner, left_stack
                FROM mine
                WHERE left_status IS NULL OR left_status IN ('dead', 'expired')
                   OR (left_status = 'waiting' AND left_attempt >= attempt AND left_error IS NOT NULL)
            ), tallied AS (
                INSERT INTO {tally} (subscription, delivered, skipped, parked, dead, expired)
                SELECT ?, sum(delivered), sum(skipped), sum(parked), sum(dead), sum(expired) FROM mine
                HAVING count(*) > 0
            )
            SELECT lane, position, claim::text FROM mine
            """.formatted(KEEP.formatted("m.left_status IN ('dead', 'expired')"));

    private final Jdbc jdbc;
    private final String prepare;

    PostgresTasks(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.prepare = jdbc.sql(PREPARE);
    }

    @Override
    public Prepared prepare(String subscription, Preparer by) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(prepare)) {
                update.setString(1, subscription);
                update.setString(2, by.filter());
                update.setString(3, subscription);
                update.setString(4, subscription);
                update.setString(5, subscription);
                bindHeld(update, 6, List.copyOf(by.holding()));
                update.setString(9, by.node());
                update.setLong(10, Parameters.inMicros(by.patience()));
                update.setString(11, subscription);
                List<Delivery> expired = new ArrayList<>();
                int readied = 0;
                boolean suspects = false;
                try (ResultSet row = update.executeQuery()) {
                    while (row.next()) {
                        readied = row.getInt(1);
                        suspects = row.getBoolean(2);
                        row.getLong(3);
                        if (!row.wasNull()) {
                            expired.add(Rows.delivery(row, 3));
                        }
                    }
                }
                return new Prepared(readied, suspects, expired);
            }
        });
    }

    @Override
    public List<Claim.ClaimedDelivery> claim(Claimant claimant, int most) {
        String sql = jdbc.sql(CLAIM);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                Array types = connection.createArrayOf(
                        "text", claimant.types().types().toArray());
                update.setString(1, claimant.subscription());
                update.setString(2, claimant.filter());
                int next = bindPick(update, 3, claimant, types, most);
                next = bindPick(update, next, claimant, types, most);
                update.setString(next, claimant.node());
                update.setLong(next + 1, Parameters.inMicros(claimant.lease()));
                List<Claim.ClaimedDelivery> claimed = new ArrayList<>();
                try (ResultSet row = update.executeQuery()) {
                    while (row.next()) {
                        int lane = row.getInt(Rows.DELIVERY_COLUMNS + Rows.EVENT_COLUMNS + 1);
                        long number = Long.parseLong(row.getString(Rows.DELIVERY_COLUMNS + Rows.EVENT_COLUMNS + 2));
                        claimed.add(Rows.claimed(row, new Lane(lane)).under(number));
                    }
                }
                return claimed;
            }
        });
    }

    private static int bindPick(PreparedStatement update, int first, Claimant claimant, Array types, int most)
            throws SQLException {
        update.setString(first, claimant.subscription());
        update.setBoolean(first + 1, claimant.types().suspects());
        update.setBoolean(first + 2, claimant.types().only());
        update.setArray(first + 3, types);
        update.setLong(first + 4, Parameters.inMicros(claimant.expiresSoon()));
        update.setInt(first + 5, most);
        return first + 6;
    }

    @Override
    public Set<HeldTask> renew(String subscription, Set<HeldTask> tasks, Duration lease) {
        List<HeldTask> held = List.copyOf(tasks);
        return jdbc.renewing().runIfKept(connection -> {
            try (PreparedStatement update = connection.prepareStatement(jdbc.sql(RENEW))) {
                update.setLong(1, Parameters.inMicros(lease));
                bindHeld(update, 2, held);
                update.setString(5, subscription);
                return held(update);
            }
        });
    }

    @Override
    public Set<HeldTask> settle(String subscription, List<Ended> tasks) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(jdbc.sql(SETTLE))) {
                bindHeld(update, 1, tasks.stream().map(Ended::task).toList());
                bindLeft(update, connection, tasks);
                for (int parameter = 14; parameter <= 18; parameter++) {
                    update.setString(parameter, subscription);
                }
                return held(update);
            }
        });
    }

    private static void bindLeft(PreparedStatement update, Connection connection, List<Ended> tasks)
            throws SQLException {
        update.setArray(4, left(connection, "text", tasks, row -> Rows.status(row.status())));
        update.setArray(5, left(connection, "int", tasks, Delivery::attempt));
        update.setArray(6, left(connection, "timestamptz", tasks, row -> Rows.text(row.dueAt())));
        update.setArray(7, left(connection, "text", tasks, row -> Rows.withoutNul(row.error())));
        update.setArray(8, left(connection, "text", tasks, row -> Rows.withoutNul(row.stack())));
        update.setArray(9, changes(connection, tasks, Counts::delivered));
        update.setArray(10, changes(connection, tasks, Counts::skipped));
        update.setArray(11, changes(connection, tasks, Counts::parked));
        update.setArray(12, changes(connection, tasks, Counts::dead));
        update.setArray(13, changes(connection, tasks, Counts::expired));
    }

    private static Array left(
            Connection connection, String type, List<Ended> tasks, Function<Delivery, @Nullable Object> column)
            throws SQLException {
        return array(connection, type, tasks, each -> each.left() == null ? null : column.apply(each.left()));
    }

    private static Array changes(Connection connection, List<Ended> tasks, Function<Counts, Long> count)
            throws SQLException {
        return array(connection, "int", tasks, each -> count.apply(each.change()));
    }

    private static void bindHeld(PreparedStatement update, int first, List<HeldTask> held) throws SQLException {
        Connection connection = update.getConnection();
        update.setArray(
                first, array(connection, "smallint", held, each -> each.lane().number()));
        update.setArray(
                first + 1,
                array(connection, "bigint", held, each -> each.position().value()));
        update.setArray(first + 2, array(connection, "text", held, each -> Long.toString(each.claim())));
    }

    private static <E> Array array(
            Connection connection, String type, Collection<E> rows, Function<E, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }

    private static Set<HeldTask> held(PreparedStatement statement) throws SQLException {
        Set<HeldTask> held = new HashSet<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                held.add(new HeldTask(
                        new Lane(row.getInt(1)), new Position(row.getLong(2)), Long.parseLong(row.getString(3))));
            }
        }
        return held;
    }

    @Override
    public int ready(String subscription, int most) {
        String sql = jdbc.sql("""
                SELECT count(*) FROM (
                    SELECT 1 FROM {delivery} WHERE subscription = ? AND status = 'ready' LIMIT ?) AS counted
                """);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setString(1, subscription);
                select.setInt(2, most);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return row.getInt(1);
                }
            }
        });
    }
}
