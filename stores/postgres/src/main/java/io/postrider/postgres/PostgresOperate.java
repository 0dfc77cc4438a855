package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.By;
import io.postrider.operate.Operate;
import io.postrider.operate.Operation.Standing;
import io.postrider.operate.Removal;
import io.postrider.operate.Removed;
import io.postrider.store.Append;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Operate: changes delivery rows, the tally and the audit by one statement, and tells the owners of their lanes by the
 * lanes' request counters.
 */
final class PostgresOperate implements Operate {
    private static final String AT_POSITION = """
            SELECT subscription, lane, position, id, status FROM {delivery}
            WHERE subscription = ? AND position = ? AND status IN ('dead', 'expired') FOR UPDATE
            """;
    private static final String OF_KEY = """
            SELECT subscription, lane, position, id, status FROM {delivery}
            WHERE subscription = ? AND lane = {lane_of}(?, NULL) AND key = ? AND %s FOR UPDATE
            """;

    private static final String REPLAY = """
            UPDATE {delivery} d
            SET status = 'waiting', attempt = 0, due_at = now(), suspect = false, expires_at = NULL, released = false,
                operation = NULL, changed_at = now()
            FROM found f WHERE (d.subscription, d.lane, d.position) = (f.subscription, f.lane, f.position)
            """;
    private static final String DISCARD = """
            DELETE FROM {delivery} d
            USING found f WHERE (d.subscription, d.lane, d.position) = (f.subscription, f.lane, f.position)
            """;
    private static final String RELEASE = """
            UPDATE {delivery} d SET released = true
            FROM found f WHERE (d.subscription, d.lane, d.position) = (f.subscription, f.lane, f.position)
            """;

    private static final String TALLY = """
            , tallied AS (
                INSERT INTO {tally} (subscription, dead, expired, %s)
                SELECT subscription, -count(*) FILTER (WHERE status = 'dead'),
                    -count(*) FILTER (WHERE status = 'expired'), count(*)
                FROM decided GROUP BY subscription
            ), tried AS (
                INSERT INTO {attempt} (subscription, position, attempt, outcome, node)
                SELECT subscription, position, 0, '%s', ?::text FROM decided
            )
            """;
    private static final String APPEND = """
            , appended AS (
                INSERT INTO {event_log} (id, type, key, payload, headers, tenant, lane, bytes,
                    deliver_at, expires_at, priority)
                SELECT ?::uuid, ?::text, ?::text, ?::json, ?::json, ?::text, ?::smallint, ?::int,
                    ?::timestamptz, ?::timestamptz, ?::smallint
                FROM decided
            )
            """;

    private final Jdbc jdbc;
    private final PostgresSwitch switches;
    /** Looked into last: events move there from their rows, and never back as dead ones unless somebody asks. */
    private final PostgresDeadEvents deadEvents;

    private final PostgresSettled settled;

    PostgresOperate(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.switches = new PostgresSwitch(jdbc);
        this.deadEvents = new PostgresDeadEvents(jdbc);
        this.settled = new PostgresSettled(jdbc);
    }

    // ---- one event --------------------------------------------------------------------------------------------------

    @Override
    public Answer replay(String subscription, Position position, By by) {
        Answer found = decide(
                subscription,
                position,
                REPLAY,
                TALLY.formatted("parked", "replayed"),
                write -> PostgresAudit.bind(write.text(by.who()), by, Action.REPLAY, Map.of()));
        if (found != Answer.NO_EVENT || deadEvents.replay(subscription, position, by)) {
            return found == Answer.NO_EVENT ? Answer.DONE : found;
        }
        return settled.replay(subscription, position, Standing.SKIPPED, by);
    }

    @Override
    public Answer replay(String subscription, EventId event, By by) {
        return settled.find(event)
                .map(position -> replay(subscription, position, by))
                .orElseGet(() -> none(subscription));
    }

    @Override
    public Answer replayDelivered(String subscription, Position position, By by) {
        return settled.replay(subscription, position, Standing.DELIVERED, by);
    }

    @Override
    public Answer replayDelivered(String subscription, EventId event, By by) {
        return settled.find(event)
                .map(position -> replayDelivered(subscription, position, by))
                .orElseGet(() -> none(subscription));
    }

    private Answer none(String subscription) {
        return switches.known(subscription) ? Answer.NO_EVENT : Answer.NO_SUBSCRIPTION;
    }

    @Override
    public Answer discard(String subscription, Position position, By by) {
        Answer found = decide(
                subscription,
                position,
                DISCARD,
                TALLY.formatted("discarded", "discarded"),
                write -> PostgresAudit.bind(write.text(by.who()), by, Action.DISCARD, Map.of()));
        return found == Answer.NO_EVENT && deadEvents.discard(subscription, position, by) ? Answer.DONE : found;
    }

    /** The event never changes, so it may be read first; the write is void if its row is no longer dead. */
    @Override
    public Answer edit(String subscription, Position position, Edit edit, By by) {
        deadEvents.restore(subscription, position);
        Optional<StoredEvent> original = event(subscription, position);
        if (original.isEmpty()) {
            return missing(subscription, position);
        }
        if (isTaken(edit.id(), subscription)) {
            throw edit.taken();
        }
        Append.Entry copy = Append.Entry.of(edit, original.get(), subscription);
        String headers = Rows.json(copy.headers());
        int bytes = PostgresAppend.bytes(copy, headers);
        Lane lane = Lane.of(copy.key(), copy.id(), jdbc.lanes().count());
        try {
            return decide(
                    subscription, position, DISCARD, TALLY.formatted("discarded", "discarded") + APPEND, write -> {
                        bind(write.text(by.who()), copy, lane, headers, bytes);
                        PostgresAudit.bind(write, by, Action.EDIT, edit.details());
                    });
        } catch (CopyTaken e) {
            throw edit.taken();
        }
    }

    /** Another edit has claimed the id of the copy. */
    private static final class CopyTaken extends RuntimeException {
        private static final long serialVersionUID = 1;

        CopyTaken(SQLException cause) {
            super(cause);
        }
    }

    /** A look alone: an edit under this id that has not committed is met by the unique index of the audit. */
    private boolean isTaken(EventId id, String subscription) {
        return settled.find(id).isPresent() || isProcessed(id, subscription);
    }

    /** A record outlives its event: a copy under the same id would count as delivered without having run. */
    private boolean isProcessed(EventId id, String subscription) {
        String sql = jdbc.sql("SELECT EXISTS (SELECT FROM {processed} WHERE event = ? AND handler = ? AND bucket = ?)");
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                new Parameters(select).object(id.value()).text(subscription).number(BucketRing.bucket(id));
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return row.getBoolean(1);
                }
            }
        });
    }

    private static void bind(Parameters write, Append.Entry copy, Lane lane, String headers, int bytes)
            throws SQLException {
        write.object(copy.id().value())
                .text(copy.type())
                .text(copy.key())
                .text(copy.payload())
                .text(headers)
                .text(copy.tenant())
                .number(lane.number())
                .number(bytes)
                .time(copy.schedule().deliverAt())
                .time(copy.schedule().expiresAt())
                .number(copy.schedule().priority());
    }

    private Optional<StoredEvent> event(String subscription, Position position) {
        String sql = jdbc.sql("WITH d AS (SELECT * FROM {delivery}"
                + " WHERE subscription = ? AND position = ? AND status IN ('dead', 'expired')) SELECT "
                + Rows.EVENT + " FROM d " + PostgresClaim.EVENT_OF_ROW);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                new Parameters(select).text(subscription).number(position.value());
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? Optional.of(Rows.shown(row, 1)) : Optional.empty();
                }
            }
        });
    }

    private Answer decide(
            String subscription, Position position, String decision, String counted, Parameters.Binding binding) {
        long decided = decide(AT_POSITION, decision, counted, write -> {
            write.text(subscription).number(position.value());
            binding.bind(write);
        });
        return decided > 0 ? Answer.DONE : missing(subscription, position);
    }

    private Answer missing(String subscription, Position position) {
        String sql = jdbc.sql("""
                SELECT EXISTS (SELECT FROM {subscription} WHERE name = ?), EXISTS (
                    SELECT FROM {delivery}
                    WHERE subscription = ? AND position = ? AND status IN ('ready', 'waiting', 'running'))
                """);
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                new Parameters(select).text(subscription).text(subscription).number(position.value());
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    Answer known = row.getBoolean(2) ? Answer.NOT_DEAD : Answer.NO_EVENT;
                    return row.getBoolean(1) ? known : Answer.NO_SUBSCRIPTION;
                }
            }
        });
    }

    // ---- a key ------------------------------------------------------------------------------------------------------

    @Override
    public Answer releaseKey(String subscription, String key, By by) {
        return decide(
                subscription,
                key,
                "status = 'dead' AND NOT released",
                RELEASE,
                "",
                write -> PostgresAudit.bind(write, by, Action.RELEASE_KEY, Map.of("key", key)));
    }

    @Override
    public Answer skipKey(String subscription, String key, By by) {
        deadEvents.restore(subscription, key);
        String counted = TALLY.formatted("discarded", "discarded");
        return decide(
                subscription,
                key,
                "status IN ('dead', 'expired')",
                DISCARD,
                counted,
                write -> PostgresAudit.bind(write.text(by.who()), by, Action.SKIP_KEY, Map.of("key", key)));
    }

    private Answer decide(
            String subscription,
            String key,
            String which,
            String decision,
            String counted,
            Parameters.Binding binding) {
        long decided = decide(OF_KEY.formatted(which), decision, counted, write -> {
            write.text(subscription).text(key).text(key);
            binding.bind(write);
        });
        return decided > 0 ? Answer.DONE : switches.known(subscription) ? Answer.NOTHING : Answer.NO_SUBSCRIPTION;
    }

    // ---- both -------------------------------------------------------------------------------------------------------

    private long decide(String found, String decision, String counted, Parameters.Binding binding) {
        String sql = jdbc.sql("""
                WITH found AS (
                    %s
                ), decided AS (
                    %s
                    RETURNING f.*
                ), told AS (
                    UPDATE {lane} l SET requests = l.requests + 1
                    FROM (SELECT DISTINCT subscription, lane FROM decided) d
                    WHERE l.subscription = d.subscription AND l.lane = d.lane
                )%s, audited AS (
                    INSERT INTO {audit} (who, why, action, details, subscription, position, event, copy)
                    SELECT w.who, w.why, w.action, w.details, d.subscription, d.position, d.id,
                        (w.details ->> '%s')::uuid
                    FROM decided d,
                        (SELECT ?::text AS who, ?::text AS why, ?::text AS action, ?::json AS details) w
                )
                SELECT count(*) FROM decided
                """.formatted(found, decision, counted, Edit.NEW_ID));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                binding.bind(new Parameters(update));
                try (ResultSet row = update.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            } catch (SQLException e) {
                throw ServerError.isDuplicate(e, "audit_copy") ? new CopyTaken(e) : PostgresAppend.refused(e);
            }
        });
    }

    // ---- subscriptions and nodes ------------------------------------------------------------------------------------

    @Override
    public Removed remove(String subscription, By by, Removal removal) {
        return new PostgresRemove(jdbc).remove(subscription, by, removal);
    }

    @Override
    public Answer pause(String subscription, By by) {
        return switches.pause(subscription, true, by);
    }

    @Override
    public Answer resume(String subscription, By by) {
        return switches.pause(subscription, false, by);
    }

    @Override
    public Answer drain(String node, By by) {
        return switches.drain(node, true, by);
    }

    @Override
    public Answer undrain(String node, By by) {
        return switches.drain(node, false, by);
    }

    @Override
    public Set<String> paused() {
        return switches.paused();
    }

    @Override
    public List<Member> nodes() {
        return switches.nodes();
    }
}
