package io.postrider.postgres;

import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.store.Cursor;
import io.postrider.store.Settle;
import io.postrider.store.Settlement;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settle: one statement. It locks the lane's row for share if the epoch and the incarnation are still ours, and
 * everything else hangs on that row. The lock writes no new version of it, so settling leaves no dead tuple behind.
 */
final class PostgresSettle implements Settle {
    /**
     * What a row {@code g} of {@code given} that waits for an operator keeps of its event, as {@code o}, so that it is
     * found by it. For others nothing is looked up. What is too long for an index is not kept: an event that could not
     * be buried for it would come again and again.
     */
    static final String EVENT_OF_THE_FAILED = """
            LEFT JOIN (
                SELECT e.lane, e.position,
                    CASE WHEN octet_length({header}(e.headers, 'userId')) > 2000 THEN NULL ELSE e.headers END
                        AS headers,
                    CASE WHEN octet_length(e.tenant) > 2000 THEN NULL ELSE e.tenant END AS tenant, e.appended_at
                FROM {events_at}(
                    ARRAY(SELECT lane FROM given WHERE status IN ('dead', 'expired') ORDER BY position),
                    ARRAY(SELECT position FROM given WHERE status IN ('dead', 'expired') ORDER BY position)
                ) e
            ) o ON o.lane = g.lane AND o.position = g.position
            """;

    /**
     * What a settlement within a transaction fails with if the lane was lost, so that the commit behind it is skipped.
     * Of a class that PostgreSQL and SQL leave alone: an application's own error is never taken for it.
     */
    static final String LOST = "PR001";

    private final Jdbc jdbc;
    private final String batch;
    private final String batchAndDeliveries;
    private final String batchAndCommit;
    private final String batchAndDeliveriesAndCommit;

    PostgresSettle(Jdbc jdbc) {
        this.jdbc = jdbc;
        String settlement = """
                WITH fence AS (
                    SELECT subscription, lane, takeovers, owner FROM {lane}
                    WHERE subscription = ? AND lane = ? AND epoch = ? AND (SELECT token FROM {incarnation}) = ?
                    FOR SHARE
                ), forget AS (
                    UPDATE {lane} l SET takeovers = 0 FROM fence f
                    WHERE f.takeovers > 0 AND l.subscription = f.subscription AND l.lane = f.lane
                ), written AS (
                    INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                        mark_bound, mark_position, late_from, late_pinned,
                        delivered, skipped, parked, dead, expired, discarded, seals)
                    SELECT subscription, lane, ?, ?, ?, ?::pg_snapshot, ?::xid8, ?,
                        ?::xid8, ?, ?, ?::pg_snapshot, ?, ?, ?, ?, ?, ?, ?
                    FROM fence
                    RETURNING 1
                )
                """;
        String rows = """
                , gone AS (
                    DELETE FROM {delivery} d USING fence f
                    WHERE d.subscription = f.subscription AND d.lane = f.lane AND d.position = ANY (?::bigint[])
                    RETURNING d.subscription, d.position, d.type, d.attempt, f.owner
                ), found AS MATERIALIZED (
                    SELECT ?::bigint[] AS numbers
                ), kept_no_longer AS (
                    DELETE FROM {lost} t USING fence f, found
                    WHERE t.subscription = f.subscription AND t.lane = f.lane AND t.number = ANY (found.numbers)
                ), given AS (
                    SELECT f.subscription, f.lane, c.*, f.owner
                    FROM fence f, unnest(?::bigint[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::int[],
                        ?::timestamptz[], ?::boolean[], ?::text[], ?::timestamptz[], ?::smallint[], ?::text[],
                        ?::boolean[])
                        AS c (position, id, type, key, status, attempt, due_at, suspect, error, expires_at, priority,
                            stack, behind)
                ), declined AS (
                    SELECT c.position, c.attempt FROM unnest(?::bigint[], ?::int[]) AS c (position, attempt)
                ), changed AS (
                    INSERT INTO {delivery} AS d
                        (subscription, lane, position, id, type, key, status, attempt, due_at, suspect, error,
                         expires_at, priority, behind, headers, tenant, appended_at)
                    SELECT g.subscription, g.lane, g.position, g.id, g.type, g.key, g.status, g.attempt, g.due_at,
                        g.suspect, g.error, g.expires_at, g.priority, g.behind, o.headers, o.tenant, o.appended_at
                    FROM given g %s
                    ON CONFLICT (subscription, lane, position) DO UPDATE
                    SET status = excluded.status, attempt = excluded.attempt, due_at = excluded.due_at,
                        suspect = excluded.suspect, error = excluded.error, behind = excluded.behind,
                        changed_at = now(),
                        headers = coalesce(d.headers, excluded.headers), tenant = coalesce(d.tenant, excluded.tenant),
                        appended_at = coalesce(d.appended_at, excluded.appended_at)
                    WHERE (SELECT cardinality(numbers) = 0 FROM found)
                    RETURNING d.position
                ), counted_twice AS (
                    INSERT INTO {tally} (subscription, delivered, parked, dead)
                    SELECT g.subscription, count(*), -count(*) FILTER (WHERE g.status <> 'dead'),
                        -count(*) FILTER (WHERE g.status = 'dead')
                    FROM given g WHERE NOT EXISTS (SELECT FROM changed c WHERE c.position = g.position)
                    GROUP BY g.subscription
                ), tried AS (
                    INSERT INTO {attempt} (subscription, position, attempt, outcome, error, node, stack)
                    SELECT g.subscription, g.position, g.attempt,
                        CASE WHEN g.type ~ {pattern}(s.filter)
                              AND NOT EXISTS (SELECT FROM declined c WHERE c.position = g.position)
                            THEN 'delivered' ELSE 'skipped' END, NULL, g.owner, NULL
                    FROM gone g JOIN {subscription} s ON s.name = g.subscription
                    UNION ALL
                    SELECT f.subscription, c.position, c.attempt, 'skipped', NULL, f.owner, NULL
                    FROM fence f, declined c WHERE NOT EXISTS (SELECT FROM gone g WHERE g.position = c.position)
                    UNION ALL
                    SELECT g.subscription, g.position, g.attempt,
                        CASE g.status WHEN 'waiting' THEN 'retrying' ELSE g.status END, g.error, g.owner, g.stack
                    FROM given g LEFT JOIN {delivery} d
                      ON d.subscription = g.subscription AND d.lane = g.lane AND d.position = g.position
                    WHERE (g.status IN ('dead', 'expired') AND d.status IS DISTINCT FROM g.status)
                       OR (g.status = 'waiting' AND g.attempt > 0 AND g.error IS NOT NULL
                           AND (d.status IS NULL OR (d.status = 'running' AND g.attempt >= d.attempt)))
                )
                """;
        String deliveries = rows.formatted(EVENT_OF_THE_FAILED);
        String answer = "SELECT count(*) FROM written";
        batch = jdbc.sql(settlement + answer);
        batchAndDeliveries = jdbc.sql(settlement + deliveries + answer);
        String commitIfWritten = "SELECT {require_written}(count(*)) FROM written; COMMIT";
        batchAndCommit = jdbc.sql(settlement + commitIfWritten);
        batchAndDeliveriesAndCommit = jdbc.sql(settlement + deliveries + commitIfWritten);
    }

    @Override
    public boolean settle(Settlement settlement) {
        String sql = hasDeliveries(settlement) ? batchAndDeliveries : batch;
        return jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(sql)) {
                bind(write, connection, settlement);
                try (ResultSet row = write.executeQuery()) {
                    row.next();
                    return row.getLong(1) == 1;
                }
            }
        });
    }

    /** The same in the caller's transaction, which it commits; {@link #LOST} if nothing was written. */
    void settleAndCommit(Connection transaction, Settlement settlement) throws SQLException {
        String sql = hasDeliveries(settlement) ? batchAndDeliveriesAndCommit : batchAndCommit;
        try (PreparedStatement write = transaction.prepareStatement(sql)) {
            bind(write, transaction, settlement);
            write.execute();
        }
    }

    private static boolean hasDeliveries(Settlement settlement) {
        return !settlement.changed().isEmpty()
                || !settlement.settled().isEmpty()
                || !settlement.found().isEmpty()
                || !settlement.declined().isEmpty();
    }

    private static void bind(PreparedStatement write, Connection connection, Settlement settlement)
            throws SQLException {
        write.setString(1, settlement.ownership().subscription());
        write.setInt(2, settlement.ownership().lane().number());
        write.setLong(3, settlement.ownership().epoch());
        write.setString(4, settlement.ownership().incarnation());
        write.setLong(5, settlement.ownership().epoch());
        bindCursor(write, 6, settlement.number(), settlement.cursor());
        bindCounts(write, 15, settlement.counts());
        write.setString(21, SealText.of(settlement.seals()));
        if (hasDeliveries(settlement)) {
            bindDeliveries(write, connection, settlement);
        }
    }

    /** Number and cursor, nine parameters. */
    static void bindCursor(PreparedStatement write, int first, long number, Cursor settled) throws SQLException {
        SnapshotCursor cursor = SnapshotCursor.of(settled);
        SnapshotCursor.Mark mark = cursor.mark();
        SnapshotCursor.Late late = cursor.late();
        write.setLong(first, number);
        write.setLong(first + 1, cursor.position());
        write.setString(first + 2, cursor.snapshot().toString());
        write.setString(first + 3, Long.toString(cursor.bound()));
        write.setLong(first + 4, cursor.floor());
        write.setString(first + 5, mark == null ? null : Long.toString(mark.bound()));
        setLong(write, first + 6, mark == null ? null : mark.position());
        setLong(write, first + 7, late == null ? null : late.from());
        write.setString(first + 8, late == null ? null : late.pinned().toString());
    }

    private static void bindCounts(PreparedStatement write, int first, Counts counts) throws SQLException {
        write.setLong(first, counts.delivered());
        write.setLong(first + 1, counts.skipped());
        write.setLong(first + 2, counts.parked());
        write.setLong(first + 3, counts.dead());
        write.setLong(first + 4, counts.expired());
        write.setLong(first + 5, counts.discarded());
    }

    private static void bindDeliveries(PreparedStatement write, Connection connection, Settlement settlement)
            throws SQLException {
        List<Delivery> rows = settlement.changed();
        write.setArray(22, connection.createArrayOf("bigint", PostgresClaim.values(settlement.settled())));
        write.setArray(23, connection.createArrayOf("bigint", settlement.found().toArray()));
        write.setArray(
                24, array(connection, "bigint", rows, row -> row.position().value()));
        write.setArray(25, array(connection, "uuid", rows, row -> row.id().value()));
        write.setArray(26, array(connection, "text", rows, Delivery::type));
        write.setArray(27, array(connection, "text", rows, Delivery::key));
        write.setArray(28, array(connection, "text", rows, row -> Rows.status(row.status())));
        write.setArray(29, array(connection, "int", rows, Delivery::attempt));
        write.setArray(30, array(connection, "timestamptz", rows, row -> Rows.text(row.dueAt())));
        write.setArray(31, array(connection, "boolean", rows, Delivery::suspect));
        write.setArray(32, array(connection, "text", rows, row -> Rows.withoutNul(row.error())));
        write.setArray(
                33,
                array(
                        connection,
                        "timestamptz",
                        rows,
                        row -> Rows.text(row.schedule().expiresAt())));
        write.setArray(
                34, array(connection, "smallint", rows, row -> row.schedule().priority()));
        write.setArray(35, array(connection, "text", rows, row -> Rows.withoutNul(row.stack())));
        write.setArray(36, array(connection, "boolean", rows, Delivery::behind));
        List<Settlement.Declined> declined = settlement.declined();
        write.setArray(
                37,
                connection.createArrayOf(
                        "bigint",
                        declined.stream().map(each -> each.position().value()).toArray()));
        write.setArray(
                38,
                connection.createArrayOf(
                        "int",
                        declined.stream().map(Settlement.Declined::attempt).toArray()));
    }

    private static Array array(
            Connection connection, String type, List<Delivery> rows, Function<Delivery, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }

    private static void setLong(PreparedStatement write, int index, @Nullable Long value) throws SQLException {
        if (value == null) {
            write.setNull(index, Types.BIGINT);
        } else {
            write.setLong(index, value);
        }
    }
}
