package io.postrider.benchmarks.peers;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Opens and commits by JDBC, as an application without a framework does. */
public final class RawTransaction {
    private RawTransaction() {}

    /** What is written in it. */
    @FunctionalInterface
    public interface Work {
        void run(Connection transaction) throws SQLException;
    }

    public static void commit(DataSource pool, Work work) throws SQLException {
        try (Connection transaction = pool.getConnection()) {
            transaction.setAutoCommit(false);
            work.run(transaction);
            transaction.commit();
        }
    }
}
