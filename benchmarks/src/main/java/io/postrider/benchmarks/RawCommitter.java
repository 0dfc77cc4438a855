package io.postrider.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Opens and commits by JDBC; what is written beside the business row is up to the variant. */
final class RawCommitter implements Committer {
    /** The business row alone. */
    static final Beside NOTHING = (transaction, writer, payload) -> {};

    private final String label;
    private final DataSource pool;
    private final Beside beside;

    RawCommitter(String label, DataSource pool, Beside beside) {
        this.label = label;
        this.pool = pool;
        this.beside = beside;
    }

    /** What joins the transaction. */
    @FunctionalInterface
    interface Beside {
        void write(Connection transaction, int writer, String payload) throws SQLException;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public void commit(int writer, String payload) throws SQLException {
        try (Connection transaction = pool.getConnection()) {
            transaction.setAutoCommit(false);
            BusinessRows.update(transaction, writer, payload);
            beside.write(transaction, writer, payload);
            transaction.commit();
        }
    }
}
