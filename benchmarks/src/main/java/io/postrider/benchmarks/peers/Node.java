package io.postrider.benchmarks.peers;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A carrier at work in one application, on that one's pool. Thread-safe. */
public interface Node extends AutoCloseable {

    /** Runs the work in a transaction of the kind that the carrier joins, and commits. */
    void transaction(Work work) throws Exception;

    /** Begins to deliver, with what is there already. */
    void start();

    @Override
    void close();

    /** What happens in one transaction. */
    @FunctionalInterface
    interface Work {
        void run(Connection transaction, Appender events) throws SQLException;
    }

    /** Appends to the transaction at hand. */
    @FunctionalInterface
    interface Appender {
        void append(List<Outgoing> events);
    }
}
