package io.postrider.benchmarks;

import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Schedules in a transaction of Spring's. */
final class NamastackCommitter implements Committer, AutoCloseable {
    private final Namastack peer;
    private final AtomicLong numbers = new AtomicLong();

    NamastackCommitter(DataSource pool) {
        this.peer = Namastack.storing(pool);
    }

    @Override
    public String label() {
        return Namastack.NAME + " schedule, workers idle";
    }

    @Override
    public void commit(int writer, String payload) {
        peer.transaction((connection, outbox) -> {
            BusinessRows.update(connection, writer, payload);
            outbox.schedule(new SpringEvent(numbers.incrementAndGet(), payload), Payloads.key(writer));
        });
    }

    @Override
    public void close() {
        peer.close();
    }
}
