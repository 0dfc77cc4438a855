package io.postrider.benchmarks;

import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.Postrider;
import java.sql.Connection;

/** Appends on the caller's raw connection; no subscription runs. */
final class PostriderAppend implements RawCommitter.Beside {
    static final String LABEL = "postrider " + Versions.of("postrider") + " append, workers idle";

    private final Postrider<Connection> node;

    PostriderAppend(Postrider<Connection> node) {
        this.node = node;
    }

    @Override
    public void write(Connection transaction, int writer, String payload) {
        node.outbox()
                .append(
                        transaction,
                        Event.of(Payloads.TYPE, Payload.json(payload)).key(Payloads.key(writer)));
    }
}
