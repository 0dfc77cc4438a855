package io.postrider.benchmarks;

import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Publishes in a transaction of Spring's. */
final class ModulithCommitter implements Committer, AutoCloseable {
    private final Modulith peer;
    private final AtomicLong numbers = new AtomicLong();

    ModulithCommitter(DataSource pool) {
        this.peer = Modulith.storing(pool);
    }

    @Override
    public String label() {
        return Modulith.NAME + " publishEvent, listeners idle";
    }

    @Override
    public void commit(int writer, String payload) {
        peer.transaction((connection, events) -> {
            BusinessRows.update(connection, writer, payload);
            events.publishEvent(new SpringEvent(numbers.incrementAndGet(), payload));
        });
    }

    @Override
    public void close() {
        peer.close();
    }
}
