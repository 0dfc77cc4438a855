package io.postrider.benchmarks;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;

/**
 * Schedules in the caller's transaction; no scheduler runs. As a batch of one, which is a plain INSERT: scheduling a
 * single task would look first whether it exists.
 */
final class DbSchedulerAppend implements RawCommitter.Beside {
    static final String LABEL = DbScheduler.NAME + " scheduleBatch of one, workers idle";

    private final DbScheduler peer = new DbScheduler(() -> {});
    private final CurrentConnection connections;
    private final SchedulerClient client;

    DbSchedulerAppend(DataSource pool) {
        this.connections = new CurrentConnection(pool);
        this.client = SchedulerClient.Builder.create(connections, peer.task())
                .serializer(new DbScheduler.Text())
                .build();
    }

    @Override
    public void write(Connection transaction, int writer, String payload) {
        connections.during(transaction, () -> client.scheduleBatch(List.of(peer.instance(payload)), Instant.now()));
    }
}
