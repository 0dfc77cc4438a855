package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.operate.By;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.DeadEvents;
import io.postrider.operate.Delivery;
import io.postrider.store.Retain;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Dead events in a table of their own: whole, so that the log may go, and with what became of them. An event moves by
 * one statement, there and back: it is always in exactly one place.
 */
final class PostgresDeadEvents implements DeadEvents {
    /**
     * A row whose event is in neither place moves without a payload, as of when it died: it was buried for that, and a
     * statement that failed for it would hold up all others. Without a payload it is never dispatched, also when it is
     * replayed. A FULL join for the reason that {@link PostgresClaim} has.
     */
    static final String MOVE = """
            WITH gone AS (
                DELETE FROM {delivery} d
                WHERE d.ctid = ANY (ARRAY(
                    SELECT ctid FROM {delivery} WHERE subscription = ? AND status = 'dead'
                      AND NOT EXISTS (SELECT FROM {operation} WHERE subscription = ? AND ended_at IS NULL)
                      AND NOT %s
                    ORDER BY position LIMIT %d FOR UPDATE SKIP LOCKED))
                RETURNING d.*
            )
            INSERT INTO {dead_events} (subscription, lane, position, id, type, key, payload, headers, tenant,
                appended_at, expires_at, priority, attempts, error, died_at, reprocessed)
            SELECT d.subscription, d.lane, d.position, d.id, d.type, d.key,
                coalesce(d.payload, o.payload), coalesce(d.headers, o.headers, '{}'), coalesce(d.tenant, o.tenant),
                coalesce(d.appended_at, o.appended_at, d.changed_at), d.expires_at, d.priority, d.attempt, d.error,
                d.changed_at, d.reprocessed
            FROM gone d FULL JOIN {events_at}(
                (SELECT array_agg(lane ORDER BY position) FILTER (WHERE payload IS NULL) FROM gone),
                (SELECT array_agg(position ORDER BY position) FILTER (WHERE payload IS NULL) FROM gone)
            ) o ON o.lane = d.lane AND o.position = d.position
            """.formatted(PostgresRetain.STAYS_BLOCKED, Retain.SWEPT_MAX);

    private static final String REPLAY = """
            WITH decided AS (
                UPDATE {dead_events} SET status = 'replayed', replayed_at = now(), replayed_by = ?, notes = ?
                WHERE subscription = ? AND position = ? AND status = 'pending'
                RETURNING *
            ), back AS (
                INSERT INTO {delivery} (subscription, lane, position, id, type, key, status, attempt, due_at, suspect,
                    error, priority, payload, headers, tenant, appended_at, reprocessed)
                SELECT subscription, lane, position, id, type, key, 'waiting', 0, now(), false,
                    error, priority, payload, headers, tenant, appended_at, reprocessed
                FROM decided
            ), told AS (
                UPDATE {lane} l SET requests = l.requests + 1 FROM decided d
                WHERE l.subscription = d.subscription AND l.lane = d.lane
            ), tallied AS (
                INSERT INTO {tally} (subscription, dead, parked) SELECT subscription, -1, 1 FROM decided
            ), tried AS (
                INSERT INTO {attempt} (subscription, position, attempt, outcome, node)
                SELECT subscription, position, 0, 'replayed', replayed_by FROM decided
            ), audited AS (
                INSERT INTO {audit} (who, why, action, subscription, position, event)
                SELECT ?, ?, 'replay', subscription, position, id FROM decided
            )
            SELECT count(*) FROM decided
            """;

    /** Who has discarded it is not who has replayed it, and so goes to the notes. */
    private static final String DISCARD = """
            WITH decided AS (
                UPDATE {dead_events} SET status = 'discarded', notes = ?::text || ': ' || ?::text
                WHERE subscription = ? AND position = ? AND status = 'pending'
                RETURNING *
            ), tallied AS (
                INSERT INTO {tally} (subscription, dead, discarded) SELECT subscription, -1, 1 FROM decided
            ), tried AS (
                INSERT INTO {attempt} (subscription, position, attempt, outcome)
                SELECT subscription, position, 0, 'discarded' FROM decided
            ), audited AS (
                INSERT INTO {audit} (who, why, action, subscription, position, event)
                SELECT ?, ?, 'discard', subscription, position, id FROM decided
            )
            SELECT count(*) FROM decided
            """;

    /** As they were when they died. */
    private static final String RESTORE = """
            WITH back AS (
                DELETE FROM {dead_events} WHERE subscription = ? AND status = 'pending' %s RETURNING *
            )
            INSERT INTO {delivery} (subscription, lane, position, id, type, key, status, attempt, due_at, suspect,
                error, expires_at, priority, payload, headers, tenant, appended_at, changed_at, reprocessed)
            SELECT subscription, lane, position, id, type, key, 'dead', attempts, died_at, false,
                error, expires_at, priority, payload, headers, tenant, appended_at, died_at, reprocessed
            FROM back
            """;

    private static final String LIST = "SELECT " + Rows.EVENT + ", o.attempts, o.error, o.died_at, o.status,"
            + " o.replayed_at, o.replayed_by, o.notes, o.subscription"
            + " FROM (SELECT d.*, NULL::timestamptz AS deliver_at FROM {dead_events} d"
            + " WHERE d.subscription = ? AND d.status = ? AND d.position > ? ORDER BY d.position LIMIT ?) o"
            + " ORDER BY o.position";

    /** As they were in their lanes, but due since they died. */
    static final String PENDING = "SELECT " + Rows.DELIVERY + """
             FROM (
                SELECT position, id, type, key, 'dead' AS status, attempts AS attempt, died_at AS due_at,
                    false AS suspect, error, expires_at, priority, false AS behind
                FROM {dead_events} WHERE subscription = ? AND status = 'pending' AND position > ?
                ORDER BY position LIMIT ?
            ) d ORDER BY d.position
            """;

    private final Jdbc jdbc;

    PostgresDeadEvents(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** Takes dead rows over; answers how many. */
    int move(String subscription) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(jdbc.sql(MOVE))) {
                new Parameters(write).text(subscription).text(subscription).text(subscription);
                return write.executeUpdate();
            }
        });
    }

    /** False if it is not here, or was decided about. */
    boolean replay(String subscription, Position position, By by) {
        return decide(REPLAY, subscription, position, by);
    }

    /** False if it is not here, or was decided about. */
    boolean discard(String subscription, Position position, By by) {
        return decide(DISCARD, subscription, position, by);
    }

    /** Puts all back into their lanes that nobody has decided about. */
    void restore(String subscription) {
        restore("", write -> write.text(subscription));
    }

    void restore(String subscription, Position position) {
        restore("AND position = ?", write -> write.text(subscription).number(position.value()));
    }

    void restore(String subscription, String key) {
        restore("AND key = ?", write -> write.text(subscription).text(key));
    }

    /** Those that have been replayed by schedule less often than this, if it is time to do it again. */
    void restoreDue(String subscription, int reprocessedBelow, Duration every) {
        restore(
                """
                AND reprocessed < ? AND EXISTS (
                    SELECT FROM {reprocess} r
                    WHERE r.subscription = ? AND r.ran_at <= now() - ? * interval '1 microsecond')
                """,
                write -> write.text(subscription)
                        .number(reprocessedBelow)
                        .text(subscription)
                        .micros(every));
    }

    private void restore(String which, Parameters.Binding binding) {
        jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(jdbc.sql(RESTORE.formatted(which)))) {
                binding.bind(new Parameters(write));
                return write.executeUpdate();
            }
        });
    }

    private boolean decide(String sql, String subscription, Position position, By by) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(jdbc.sql(sql))) {
                new Parameters(update)
                        .text(by.who())
                        .text(by.why())
                        .text(subscription)
                        .number(position.value())
                        .text(by.who())
                        .text(by.why());
                try (ResultSet row = update.executeQuery()) {
                    row.next();
                    return row.getLong(1) == 1;
                }
            }
        });
    }

    @Override
    public List<DeadEvent> list(String subscription, DeadEvent.Status status, Position after, int limit) {
        new KnownSubscriptions(jdbc).require(subscription);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(jdbc.sql(LIST))) {
                select.setString(1, subscription);
                select.setString(2, status.name().toLowerCase(Locale.ROOT));
                select.setLong(3, after.value());
                select.setInt(4, limit);
                List<DeadEvent> events = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        events.add(deadEvent(row, Rows.EVENT_COLUMNS + 1));
                    }
                }
                return events;
            }
        });
    }

    /** Those that nobody has decided about, as rows. */
    List<Delivery> pending(String subscription, Position after, int limit) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(jdbc.sql(PENDING))) {
                select.setString(1, subscription);
                select.setLong(2, after.value());
                select.setInt(3, limit);
                List<Delivery> rows = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        rows.add(Rows.delivery(row, 1));
                    }
                }
                return rows;
            }
        });
    }

    private static DeadEvent deadEvent(ResultSet row, int next) throws SQLException {
        return new DeadEvent(
                row.getString(next + 7),
                Rows.shown(row, 1),
                row.getInt(next),
                row.getString(next + 1),
                row.getObject(next + 2, OffsetDateTime.class).toInstant(),
                DeadEvent.Status.valueOf(row.getString(next + 3).toUpperCase(Locale.ROOT)),
                instant(row, next + 4),
                row.getString(next + 5),
                row.getString(next + 6));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
