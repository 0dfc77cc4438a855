package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.spi.Operate;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Operate: marks a dead delivery row, and tells the lane's owner by the lane's request counter. */
final class PostgresOperate implements Operate {
    private final Jdbc jdbc;

    PostgresOperate(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public boolean replay(String subscription, Position position) {
        return decide(subscription, position, "status = 'retrying', attempt = 0, due_at = now(), suspect = false");
    }

    @Override
    public boolean discard(String subscription, Position position) {
        return decide(subscription, position, "status = 'discarded'");
    }

    private boolean decide(String subscription, Position position, String decision) {
        String sql = jdbc.sql("""
                WITH decided AS (
                    UPDATE {delivery} SET %s, changed_at = now()
                    WHERE subscription = ? AND position = ? AND status = 'dead'
                    RETURNING subscription, lane
                ), told AS (
                    UPDATE {lane} l SET requests = l.requests + 1 FROM decided d
                    WHERE l.subscription = d.subscription AND l.lane = d.lane
                )
                SELECT count(*) FROM decided
                """.formatted(decision));
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
