package io.postrider.postgres;

import io.postrider.policy.Retention;
import io.postrider.store.Retain;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Lets records go with time, in bounded pieces. Numbers are drawn in the order of time but for neighbours, so only the
 * first records by number are looked at: as long as they are young, nothing more is read.
 */
final class PostgresRecords {
    static final String AUDIT = oldest("audit", "number", "at");
    static final String DROPPED = oldest("dropped", "number", "dropped_at");

    /** Operations that one statement looks at, at most. */
    private static final int OPERATIONS_MAX = 1_000;

    private static final String OLD_OPERATIONS = """
            SELECT id FROM (SELECT id, ended_at FROM {operation} ORDER BY id LIMIT %d) AS first
            WHERE ended_at <= now() - ? * interval '1 microsecond'
            """.formatted(OPERATIONS_MAX);

    /** What an operation noted of each event goes before the operation itself, so that no note outlives it. */
    static final String DECIDED = """
            DELETE FROM {decided} WHERE ctid = ANY (ARRAY(
                SELECT d.ctid FROM (%s) AS old CROSS JOIN LATERAL (
                    SELECT ctid FROM {decided} WHERE operation = old.id LIMIT %2$d) d LIMIT %2$d))
            """.formatted(OLD_OPERATIONS, Retain.FORGOTTEN_MAX);

    static final String OPERATIONS = """
            DELETE FROM {operation} o USING (%s) AS old WHERE o.id = old.id
              AND NOT EXISTS (SELECT FROM {decided} d WHERE d.operation = o.id)
            """.formatted(OLD_OPERATIONS);

    private final Jdbc jdbc;

    PostgresRecords(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    private static String oldest(String table, String number, String at) {
        return """
                DELETE FROM {%1$s} WHERE %2$s IN (
                    SELECT %2$s FROM (SELECT %2$s, %3$s FROM {%1$s} ORDER BY %2$s LIMIT %4$d) AS first
                    WHERE %3$s <= now() - ? * interval '1 microsecond')
                """.formatted(table, number, at, Retain.FORGOTTEN_MAX);
    }

    /** Whether some kind may have as many again. */
    boolean forget(Retain.Kept kept) {
        return jdbc.autocommit(connection -> {
            int most = Math.max(forget(connection, AUDIT, kept.audit()), forget(connection, DROPPED, kept.drops()));
            int decided = forget(connection, DECIDED, kept.operations());
            int operations = forget(connection, OPERATIONS, kept.operations());
            return Math.max(most, decided) >= Retain.FORGOTTEN_MAX || operations >= OPERATIONS_MAX;
        });
    }

    private int forget(Connection connection, String sql, Duration kept) throws SQLException {
        if (!Retention.isLimited(kept)) {
            return 0;
        }
        try (PreparedStatement delete = connection.prepareStatement(jdbc.sql(sql))) {
            new Parameters(delete).micros(kept);
            return delete.executeUpdate();
        }
    }
}
