package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.By;
import io.postrider.operate.Operate.Answer;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Standing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The replay of one event that is settled and has no delivery row; and where it is not, why. */
final class PostgresSettled {
    private static final String REPLAY = ("WITH h AS (" + Targets.ROW + "), s AS ("
                    + SettledEvents.subscription("'infinity'::timestamptz") + "), l AS MATERIALIZED ("
                    + SettledEvents.LANES + """
            ), picked AS MATERIALIZED (
                SELECT o.lane, o.position, o.id, o.type, o.key, o.deliver_at, o.priority, %1$s AS standing
                %2$s AND %3$s
            )
            %4$s
            , audited AS (
                INSERT INTO {audit} (who, why, action, details, subscription, position, event)
                SELECT ?, ?, ?, ?::json, subscription, position, id FROM moved
            )
            SELECT count(*) FROM moved
            """)
            .formatted(
                    SettledEvents.STANDING,
                    SettledEvents.EVENTS,
                    SettledEvents.TAKEN,
                    SettledEvents.replay("NULL", "?::text"));

    /** One row, if there is the subscription; what is not known of the event is null. */
    private static final String LOOK = """
            WITH s AS (
                SELECT u.name, u.created_at, {pattern}(u.filter) AS pattern FROM {subscription} u WHERE u.name = ?
            )
            SELECT r.status, e.outcome, e.handled, e.before_start, e.standing, e.taken
            FROM s LEFT JOIN {delivery_row} r ON r.subscription = s.name AND r.position = ?
            LEFT JOIN LATERAL (
                SELECT %1$s AS handled, %2$s AS before_start, %3$s AS standing, %4$s AS taken, a.outcome
                FROM (
                    SELECT c.lane, c.reached AS at_reached, c.snapshot AS at_snapshot, c.floor AS at_floor,
                        c.late_from AS at_late_from, c.late_pinned AS at_late_pinned, c.began, c.began_snapshot,
                        c.began_floor, v.position - 1 AS reached, v.position AS up_to
                    FROM {cursors}(s.name) c, (SELECT ?::bigint AS position) v
                ) l CROSS JOIN LATERAL (%5$s) o %6$s
            ) e ON true
            """.formatted(
                    SettledEvents.HANDLED,
                    SettledEvents.BEFORE_START,
                    SettledEvents.STANDING,
                    SettledEvents.TAKEN,
                    SettledEvents.EVENTS_OF_LANE,
                    SettledEvents.KNOWN);

    private final Jdbc jdbc;
    private final PostgresStory story;

    PostgresSettled(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.story = new PostgresStory(jdbc);
    }

    Optional<Position> find(EventId event) {
        return jdbc.autocommit(connection -> story.position(connection, event));
    }

    Answer replay(String subscription, Position position, Standing standing, By by) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement write = connection.prepareStatement(jdbc.sql(REPLAY))) {
                Parameters parameters = new Parameters(write);
                Targets.bind(parameters, target(subscription, standing).positions(position, position));
                Map<String, String> was = Map.of("was", Targets.name(standing));
                PostgresAudit.bind(parameters.text(by.who()), by, Action.REPLAY, was);
                try (ResultSet row = write.executeQuery()) {
                    row.next();
                    return row.getLong(1) == 1 ? Answer.DONE : look(connection, subscription, position, standing);
                }
            }
        });
    }

    private static Operation.Target target(String subscription, Standing standing) {
        return Operation.Target.skipped(subscription).states(Set.of(standing));
    }

    private Answer look(Connection connection, String subscription, Position position, Standing wanted)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(LOOK))) {
            new Parameters(select).text(subscription).number(position.value()).number(position.value());
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? answer(row, wanted) : Answer.NO_SUBSCRIPTION;
            }
        }
    }

    /** A row that somebody has made since is one that waits. */
    private static Answer answer(ResultSet row, Standing wanted) throws SQLException {
        String status = row.getString(1);
        boolean ended = "dead".equals(status) || "expired".equals(status);
        String standing = row.getString(5);
        if (status != null) {
            return ended ? Answer.NOT_DELIVERED : Answer.NOT_DEAD;
        } else if (standing == null) {
            return Answer.NO_EVENT;
        } else if ("discarded".equals(row.getString(2))) {
            return Answer.DISCARDED;
        } else if (row.getBoolean(4) || !row.getBoolean(3)) {
            return row.getBoolean(4) ? Answer.BEFORE_START : Answer.PENDING;
        } else if (!standing.equals(Targets.name(wanted))) {
            return standing.equals("delivered") ? Answer.DELIVERED : Answer.NOT_DELIVERED;
        }
        return row.getBoolean(6) ? Answer.NOT_DEAD : Answer.NOT_TAKEN;
    }
}
