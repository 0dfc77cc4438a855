package io.postrider.benchmarks;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What every scenario has of gruelbox transactionoutbox: an outbox in its own table, calling a handler. */
final class Gruelbox {
    static final String NAME = "gruelbox transactionoutbox " + Versions.of("gruelbox");
    static final String TABLE = "bench.txno_outbox";

    /** Leaves what was scheduled to the next flush: the workers are idle. */
    static final Submitter IDLE = (entry, process) -> {};

    /** Kept, because the level of a logger nobody holds is forgotten. */
    private static final Logger ITS_VALIDATOR = Logger.getLogger("org.hibernate.validator");

    static {
        ITS_VALIDATOR.setLevel(Level.WARNING);
    }

    private Gruelbox() {}

    /** The call that is scheduled; an interface needs no byte code generation. */
    interface Receiver {
        void receive(String payload);
    }

    static TransactionOutbox.TransactionOutboxBuilder outbox(TransactionManager transactions, Receiver receiver) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> receiver));
    }

    /** An outbox that only stores. What it stored is due after its attempt frequency, or by a clock that is ahead. */
    static TransactionOutbox storing(TransactionManager transactions) {
        return outbox(transactions, payload -> {}).submitter(IDLE).build();
    }
}
