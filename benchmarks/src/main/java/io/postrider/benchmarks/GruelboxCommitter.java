package io.postrider.benchmarks;

import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Schedules in a transaction of its own transaction manager. */
final class GruelboxCommitter implements Committer {
    private final ThreadLocalContextTransactionManager transactions;
    private final TransactionOutbox outbox;

    GruelboxCommitter(DataSource pool) {
        this.transactions = TransactionManager.fromDataSource(pool);
        this.outbox = Gruelbox.storing(transactions);
    }

    @Override
    public String label() {
        return Gruelbox.NAME + " schedule, workers idle";
    }

    @Override
    public void commit(int writer, String payload) throws SQLException {
        transactions.<SQLException>inTransactionThrows(transaction -> {
            BusinessRows.update(transaction.connection(), writer, payload);
            outbox.schedule(Gruelbox.Receiver.class).receive(payload);
        });
    }
}
