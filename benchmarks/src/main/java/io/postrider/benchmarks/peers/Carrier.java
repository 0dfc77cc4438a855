package io.postrider.benchmarks.peers;

import io.postrider.benchmarks.measure.Database;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Takes events out of transactions to a handler: Postrider, or a peer. Stateless; what runs is a {@link Node}. */
public interface Carrier {

    /** With its version. */
    String name();

    /** How its nodes append. */
    String appending();

    /** How a node with this tuning delivers, for a handler that gets events at any time. */
    String delivering(Tuning tuning);

    /** Handlers at once, and the rest of what is fastest for handlers that do nothing. */
    Tuning fastest();

    /** What it needs before its first node, in an empty schema. */
    void prepare(Database database) throws SQLException;

    /** Appends only: what it appended stays. */
    Node storing(DataSource pool) throws SQLException;

    /** Appends, and delivers once it is started. */
    Node delivering(DataSource pool, Tuning tuning, Receiver receiver) throws SQLException;

    /** Connections that such a node uses beside those of its writers. */
    int connections(Tuning tuning);

    /** Waits until so many nodes have their shares, if they have such. */
    void awaitShared(Database database, int nodes) throws Exception;

    /** Whether a commit of its own node makes it look for events, so that it need not poll often. */
    boolean wakesItself();

    /** Why only the process that committed an event delivers it; empty if any node does. */
    Optional<String> whyNotShared();

    /** The tables it writes, with their schema, as patterns of LIKE: where dead tuples would be. */
    List<String> tables();
}
