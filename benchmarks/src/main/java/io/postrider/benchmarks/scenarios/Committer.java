package io.postrider.benchmarks.scenarios;

import io.postrider.AppendMode;
import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.benchmarks.measure.BusinessRows;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.peers.Carrier;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.peers.Node;
import io.postrider.benchmarks.peers.Outgoing;
import io.postrider.benchmarks.peers.RawTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** One way to commit a business transaction: alone, or with an event beside it. Thread-safe. */
record Committer(String label, Action action) {

    /** Changes this writer's row and commits, with the payload as an event unless it commits alone. */
    @FunctionalInterface
    interface Action {
        void commit(int writer, String payload) throws Exception;
    }

    /** What joins the transaction. */
    @FunctionalInterface
    interface Beside {
        void write(Connection transaction, int writer, String payload) throws SQLException;
    }

    static Committer raw(String label, DataSource pool, Beside beside) {
        return new Committer(
                label,
                (writer, payload) -> RawTransaction.commit(pool, transaction -> {
                    BusinessRows.update(transaction, writer, payload);
                    beside.write(transaction, writer, payload);
                }));
    }

    /** Ours, with the event and the commit in one round trip. */
    static Committer withCommit(Postrider<Connection> node) {
        return new Committer(
                Carriers.POSTRIDER.name() + " append with the commit, workers idle",
                (writer, payload) -> node.transaction(AppendMode.WITH_COMMIT, transaction -> {
                    BusinessRows.update(transaction, writer, payload);
                    Event event = Event.of(Payloads.TYPE, Payload.json(payload)).key(Payloads.key(writer));
                    return node.outbox().append(transaction, event);
                }));
    }

    static Committer of(Carrier carrier, Node node) {
        String label = carrier.name() + " " + carrier.appending();
        return new Committer(
                label,
                (writer, payload) -> node.transaction((transaction, events) -> {
                    BusinessRows.update(transaction, writer, payload);
                    events.append(List.of(new Outgoing(Payloads.key(writer), payload)));
                }));
    }
}
