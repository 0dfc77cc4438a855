package io.postrider.benchmarks.peers;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.ExecutorSubmitter;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Versions;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** gruelbox transactionoutbox: calls of a handler, scheduled in a transaction of its own transaction manager. */
final class Gruelbox implements Peer {
    private static final int THREADS = 20;
    private static final int FLUSH_BATCH = 1_024;
    private static final String TABLE = "bench.txno_outbox";

    /** Leaves what was scheduled to the next flush: the workers are idle. */
    private static final Submitter IDLE = (entry, process) -> {};

    /** By a clock that is behind by the wait before an attempt, what is stored is due at once for another node. */
    private static final Duration BEHIND = Duration.ofSeconds(2);

    private static final Clock SLOW_CLOCK = Clock.offset(Clock.systemUTC(), BEHIND.negated());

    /** Kept, because the level of a logger nobody holds is forgotten. */
    private static final Logger ITS_VALIDATOR = Logger.getLogger("org.hibernate.validator");

    static {
        ITS_VALIDATOR.setLevel(Level.WARNING);
    }

    @Override
    public String name() {
        return "gruelbox transactionoutbox " + Versions.of("gruelbox");
    }

    @Override
    public String appending() {
        return "schedule, workers idle";
    }

    @Override
    public String delivering(Tuning tuning) {
        return String.format(
                Locale.ROOT,
                "unordered (this version has no order), %d threads, submitted after the node's own commits,"
                        + " flush of %,d every %d ms, next attempt after %d s",
                tuning.threads(),
                FLUSH_BATCH,
                tuning.poll().toMillis(),
                tuning.failover().toSeconds());
    }

    @Override
    public Tuning fastest() {
        return Tuning.of(THREADS);
    }

    /** It migrates its schema itself. */
    @Override
    public void prepare(Database database) {}

    @Override
    public Node storing(DataSource pool) {
        ThreadLocalContextTransactionManager transactions = TransactionManager.fromDataSource(pool);
        TransactionOutbox outbox = outbox(transactions, payload -> {})
                .submitter(IDLE)
                .attemptFrequency(BEHIND)
                .clockProvider(() -> SLOW_CLOCK)
                .build();
        return new GruelboxNode(transactions, outbox);
    }

    @Override
    public Node delivering(DataSource pool, Tuning tuning, Receiver receiver) {
        ThreadLocalContextTransactionManager transactions = TransactionManager.fromDataSource(pool);
        FlushLoop loop = new FlushLoop(tuning, FLUSH_BATCH);
        TransactionOutbox outbox = outbox(transactions, receiver)
                .submitter(ExecutorSubmitter.builder().executor(loop.workers()).build())
                .attemptFrequency(tuning.failover())
                .flushBatchSize(FLUSH_BATCH)
                .build();
        return new GruelboxNode(transactions, outbox, loop);
    }

    private static TransactionOutbox.TransactionOutboxBuilder outbox(
            TransactionManager transactions, Receiver receiver) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> receiver));
    }

    @Override
    public int connections(Tuning tuning) {
        return tuning.threads() + 4;
    }

    @Override
    public void awaitShared(Database database, int nodes) {}

    @Override
    public boolean wakesItself() {
        return true;
    }

    @Override
    public Optional<String> whyNotShared() {
        return Optional.empty();
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public String undelivered() {
        return TABLE;
    }

    @Override
    public boolean usesSpring() {
        return false;
    }

    @Override
    public boolean startsSlowly() {
        return false;
    }

    @Override
    public Optional<String> history() {
        return Optional.of("it deletes a call that succeeded, unless it has a unique request id");
    }

    @Override
    public String severalHandlers() {
        return "an entry is the call of one method; each further one is an entry of its own in the same transaction";
    }

    @Override
    public List<String> tables() {
        return List.of(TABLE);
    }

    private record GruelboxNode(
            ThreadLocalContextTransactionManager transactions, TransactionOutbox outbox, Optional<FlushLoop> loop)
            implements Node {

        GruelboxNode(ThreadLocalContextTransactionManager transactions, TransactionOutbox outbox) {
            this(transactions, outbox, Optional.empty());
        }

        GruelboxNode(ThreadLocalContextTransactionManager transactions, TransactionOutbox outbox, FlushLoop loop) {
            this(transactions, outbox, Optional.of(loop));
        }

        @Override
        public void transaction(Work work) throws SQLException {
            transactions.<SQLException>inTransactionThrows(
                    transaction -> work.run(transaction.connection(), this::schedule));
        }

        private void schedule(List<Outgoing> events) {
            Receiver receiver = outbox.schedule(Receiver.class);
            events.forEach(event -> receiver.receive(event.payload()));
        }

        @Override
        public void start() {
            loop.ifPresent(each -> each.start(outbox::flush));
        }

        @Override
        public void close() {
            loop.ifPresent(FlushLoop::close);
        }
    }
}
