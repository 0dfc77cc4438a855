package io.postrider.postgres;

import io.postrider.store.SettleWithin;
import io.postrider.store.Settlement;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Settle in the transaction of the effects. The statement that takes the lane's lock and the commit travel together: a
 * process that is paused between the two would hold up whoever takes the lane over.
 */
final class PostgresSettleWithin implements SettleWithin<Connection> {
    private final PostgresSettle settle;

    PostgresSettleWithin(PostgresSettle settle) {
        this.settle = settle;
    }

    /** Shadows the mark before, which nobody goes back to: one round trip for each event instead of two. */
    @Override
    public void mark(Connection transaction) throws SQLException {
        execute(transaction, "SAVEPOINT postrider_event");
    }

    @Override
    public void undo(Connection transaction) throws SQLException {
        execute(transaction, "ROLLBACK TO SAVEPOINT postrider_event");
    }

    @Override
    public boolean settle(Connection transaction, Settlement settlement) throws SQLException {
        try {
            settle.settleAndCommit(transaction, settlement);
            return true;
        } catch (SQLException e) {
            if (PostgresSettle.LOST.equals(e.getSQLState())) {
                return false;
            }
            throw Jdbc.unknownOrRefused(e);
        }
    }

    private static void execute(Connection transaction, String sql) throws SQLException {
        try (var statement = transaction.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw Jdbc.unknownOrRefused(e);
        }
    }
}
