package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.spi.Operate;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Operate: changes a delivery row and the tally, and tells the lane's owner by the lane's request counter. */
final class PostgresOperate implements Operate {
    private final Jdbc jdbc;

    PostgresOperate(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public boolean replay(String subscription, Position position) {
        return decide(subscription, position, """
                UPDATE {delivery} d
                SET status = 'retrying', attempt = 0, due_at = now(), suspect = false, expires_at = NULL,
                    changed_at = now()
                FROM found f WHERE (d.subscription, d.lane, d.position) = (f.subscription, f.lane, f.position)
                """, "parked");
    }

    @Override
    public boolean discard(String subscription, Position position) {
        return decide(subscription, position, """
                DELETE FROM {delivery} d
                USING found f WHERE (d.subscription, d.lane, d.position) = (f.subscription, f.lane, f.position)
                """, "discarded");
    }

    private boolean decide(String subscription, Position position, String decision, String becomes) {
        String sql = jdbc.sql("""
                WITH found AS (
                    SELECT subscription, lane, position, status FROM {delivery}
                    WHERE subscription = ? AND position = ? AND status IN ('dead', 'expired') FOR UPDATE
                ), decided AS (
                    %s
                    RETURNING f.subscription, f.lane, f.position, f.status
                ), tried AS (
                    INSERT INTO {attempt} (subscription, position, attempt, outcome)
                    SELECT subscription, position, 0, '%s' FROM decided
                ), told AS (
                    UPDATE {lane} l SET requests = l.requests + 1 FROM decided d
                    WHERE l.subscription = d.subscription AND l.lane = d.lane
                ), tallied AS (
                    INSERT INTO {tally} (subscription, dead, expired, %s)
                    SELECT subscription, -count(*) FILTER (WHERE status = 'dead'),
                        -count(*) FILTER (WHERE status = 'expired'), count(*)
                    FROM decided GROUP BY subscription
                )
                SELECT count(*) FROM decided
                """.formatted(decision, becomes.equals("parked") ? "replayed" : becomes, becomes));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setString(1, subscription);
                update.setLong(2, position.value());
                try (ResultSet row = update.executeQuery()) {
                    row.next();
                    return row.getLong(1) == 1;
                }
            }
        });
    }
}
