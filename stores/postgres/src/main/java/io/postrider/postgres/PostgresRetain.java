package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.operate.Drop;
import io.postrider.policy.Retention;
import io.postrider.store.FilterText;
import io.postrider.store.Retain;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Retain: rows go together with what they change in the counts and with their record, by one statement for each kind.
 * Rows that an operator has locked just now are left for the next sweep.
 */
final class PostgresRetain implements Retain {
    /**
     * What has gone, as {@code gone}, counted and recorded; {@code o} is for times that only the log knows. Of an event
     * that the log has lost, the time of its end stands for that of its append.
     */
    private static final String ON_RECORD = """
            , timed AS (
                SELECT g.subscription, g.reason, g.position,
                    coalesce(g.appended_at, o.appended_at, g.ended_at) AS appended_at
                FROM gone g FULL JOIN {events_at}(
                    (SELECT array_agg(lane ORDER BY position) FILTER (WHERE appended_at IS NULL) FROM gone),
                    (SELECT array_agg(position ORDER BY position) FILTER (WHERE appended_at IS NULL) FROM gone)
                ) o ON o.lane = g.lane AND o.position = g.position
            ), tallied AS (
                INSERT INTO {tally} (subscription, dead, expired, discarded)
                SELECT subscription, -count(*) FILTER (WHERE reason = 'dead'),
                    -count(*) FILTER (WHERE reason = 'expired'), count(*)
                FROM timed GROUP BY subscription
            ), tried AS (
                INSERT INTO {attempt} (subscription, position, attempt, outcome)
                SELECT subscription, position, 0, 'discarded' FROM timed
            )
            INSERT INTO {dropped} (subscription, reason, events, from_position, to_position, oldest, newest)
            SELECT subscription, reason, count(*), min(position), max(position), min(appended_at), max(appended_at)
            FROM timed GROUP BY subscription, reason
            RETURNING subscription, reason, events, from_position, to_position, oldest, newest, dropped_at
            """;

    /** Dead events of such a subscription block their keys until someone decides, whatever a sweeping node was told. */
    static final String STAYS_BLOCKED = "EXISTS (SELECT FROM {subscription} s WHERE s.name = ? AND"
            + " s.filter || ' ' LIKE '% " + FilterText.STAYS_BLOCKED + " %')";

    static final String DROP_ROWS = """
            WITH gone AS (
                DELETE FROM {delivery} d
                WHERE d.ctid = ANY (ARRAY(
                    SELECT ctid FROM {delivery}
                    WHERE subscription = ? AND status = ? AND status IN ('dead', 'expired')
                      AND changed_at <= now() - ? * interval '1 microsecond'
                      AND (status = 'expired' OR NOT %s)
                    ORDER BY changed_at LIMIT %d FOR UPDATE SKIP LOCKED))
                RETURNING d.subscription, d.lane, d.position, d.status AS reason, d.appended_at,
                    d.changed_at AS ended_at
            )
            """.formatted(STAYS_BLOCKED, SWEPT_MAX) + ON_RECORD;

    /** Those that were decided about go too, but are counted already. */
    static final String DROP_DEAD_EVENTS = """
            WITH old AS (
                DELETE FROM {dead_events} d
                WHERE d.ctid = ANY (ARRAY(
                    SELECT ctid FROM {dead_events}
                    WHERE subscription = ? AND died_at <= now() - ? * interval '1 microsecond'
                    ORDER BY died_at LIMIT %d FOR UPDATE SKIP LOCKED))
                RETURNING d.subscription, d.lane, d.position, d.status, d.appended_at, d.died_at
            ), gone AS (
                SELECT subscription, lane, position, 'dead' AS reason, appended_at, died_at AS ended_at
                FROM old WHERE status = 'pending'
            )
            """.formatted(SWEPT_MAX) + ON_RECORD;

    private final Jdbc jdbc;
    private final PostgresDeadEvents deadEvents;
    private final PostgresRecords records;

    PostgresRetain(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.deadEvents = new PostgresDeadEvents(jdbc);
        this.records = new PostgresRecords(jdbc);
    }

    @Override
    public Swept sweep(String subscription, Retention retention) {
        int moved = retention.movesDead() ? deadEvents.move(subscription) : 0;
        List<Drop> drops = new ArrayList<>();
        if (Retention.isLimited(retention.dead())) {
            dropRows(subscription, Drop.Reason.DEAD, retention.dead()).ifPresent(drops::add);
            dropDeadEvents(subscription, retention.dead()).ifPresent(drops::add);
        }
        if (Retention.isLimited(retention.expired())) {
            dropRows(subscription, Drop.Reason.EXPIRED, retention.expired()).ifPresent(drops::add);
        }
        boolean more = moved >= SWEPT_MAX || drops.stream().anyMatch(drop -> drop.events() >= SWEPT_MAX);
        return new Swept(moved, drops, more);
    }

    private Optional<Drop> dropRows(String subscription, Drop.Reason reason, Duration kept) {
        String status = reason.name().toLowerCase(Locale.ROOT);
        return drop(
                DROP_ROWS,
                delete -> delete.text(subscription).text(status).micros(kept).text(subscription));
    }

    private Optional<Drop> dropDeadEvents(String subscription, Duration kept) {
        return drop(DROP_DEAD_EVENTS, delete -> delete.text(subscription).micros(kept));
    }

    private Optional<Drop> drop(String sql, Parameters.Binding parameters) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement delete = connection.prepareStatement(jdbc.sql(sql))) {
                parameters.bind(new Parameters(delete));
                try (ResultSet row = delete.executeQuery()) {
                    return row.next() ? Optional.of(drop(row)) : Optional.empty();
                }
            }
        });
    }

    @Override
    public boolean forget(Kept kept) {
        return records.forget(kept);
    }

    @Override
    public List<Drop> drops(String subscription, int limit) {
        String sql = jdbc.sql("""
                SELECT subscription, reason, events, from_position, to_position, oldest, newest, dropped_at
                FROM {dropped} WHERE subscription = ? ORDER BY number DESC LIMIT ?
                """);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setString(1, subscription);
                select.setInt(2, limit);
                List<Drop> drops = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        drops.add(drop(row));
                    }
                }
                return drops;
            }
        });
    }

    private static Drop drop(ResultSet row) throws SQLException {
        return new Drop(
                row.getString(1),
                Drop.Reason.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
                row.getLong(3),
                new Position(row.getLong(4)),
                new Position(row.getLong(5)),
                row.getObject(6, OffsetDateTime.class).toInstant(),
                row.getObject(7, OffsetDateTime.class).toInstant(),
                row.getObject(8, OffsetDateTime.class).toInstant());
    }
}
