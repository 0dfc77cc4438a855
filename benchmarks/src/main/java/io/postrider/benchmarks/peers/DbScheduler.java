package io.postrider.benchmarks.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Versions;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler: due one-time tasks whose data is the payload, at no cost it can do without (text as UTF-8 instead of
 * Java serialization, no priorities and so no index for them). The polling strategy and its limits are those of its
 * author's throughput tests on PostgreSQL (its pull request 175). In alternating rounds on two busy cores, 40 threads
 * were faster than 8 and 20, limits of 1 and 4 were slower, and 100 threads with 2 and 6 could not be told apart.
 */
final class DbScheduler implements Peer {
    private static final int THREADS = 40;
    private static final double LOWER_LIMIT = 4;
    private static final double UPPER_LIMIT = 20;
    /** The fewest it allows. */
    private static final int MISSED_HEARTBEATS = 4;

    private static final String TABLE = "bench.scheduled_tasks";

    @Override
    public String name() {
        return "db-scheduler " + Versions.of("db-scheduler");
    }

    @Override
    public String appending() {
        return "scheduleBatch, workers idle";
    }

    @Override
    public String delivering(Tuning tuning) {
        return String.format(
                Locale.ROOT,
                "unordered (it has no order), lock-and-fetch %.0f/%.0f, %d threads, poll %d ms,"
                        + " a check triggered after the node's own commits, dead after %d heartbeats missed in %d s",
                LOWER_LIMIT,
                UPPER_LIMIT,
                tuning.threads(),
                tuning.poll().toMillis(),
                MISSED_HEARTBEATS,
                tuning.failover().toSeconds());
    }

    @Override
    public Tuning fastest() {
        return Tuning.of(THREADS);
    }

    /** The table and the indexes its documentation asks for. */
    @Override
    public void prepare(Database database) throws SQLException {
        database.execute(
                "DROP TABLE IF EXISTS " + TABLE,
                """
                CREATE TABLE bench.scheduled_tasks (
                    task_name text NOT NULL,
                    task_instance text NOT NULL,
                    task_data bytea,
                    execution_time timestamptz,
                    picked boolean NOT NULL,
                    picked_by text,
                    last_success timestamptz,
                    last_failure timestamptz,
                    consecutive_failures int,
                    last_heartbeat timestamptz,
                    version bigint NOT NULL,
                    priority smallint,
                    state text,
                    PRIMARY KEY (task_name, task_instance))
                """,
                "CREATE INDEX execution_time_idx ON bench.scheduled_tasks (execution_time)",
                "CREATE INDEX last_heartbeat_idx ON bench.scheduled_tasks (last_heartbeat)");
    }

    @Override
    public Node storing(DataSource pool) {
        return new Scheduling(pool, task(payload -> {}), null);
    }

    @Override
    public Node delivering(DataSource pool, Tuning tuning, Receiver receiver) {
        OneTimeTask<String> task = task(receiver);
        Scheduler scheduler = Scheduler.create(pool, task)
                .serializer(new Text())
                .threads(tuning.threads())
                .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                .pollingInterval(tuning.poll())
                .heartbeatInterval(tuning.failover().dividedBy(MISSED_HEARTBEATS))
                .missedHeartbeatsLimit(MISSED_HEARTBEATS)
                .build();
        return new Scheduling(pool, task, scheduler);
    }

    private static OneTimeTask<String> task(Receiver receiver) {
        return Tasks.oneTime("bench", String.class)
                .execute((instance, context) -> receiver.receive(instance.getData()));
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
        return Optional.of("it deletes a task that has run once");
    }

    @Override
    public String severalHandlers() {
        return "a task has one handler; each further one is a task of its own in the same transaction";
    }

    @Override
    public List<String> tables() {
        return List.of(TABLE);
    }

    /**
     * Schedules in the caller's transaction. As a batch, which is a plain INSERT: scheduling a single task would look
     * first whether it exists. A scheduler in the same process is told after the commit, which its documentation gives
     * for transactions: what it calls immediate execution would look before the commit.
     */
    private static final class Scheduling implements Node {
        private final DataSource pool;
        private final OneTimeTask<String> task;
        private final @Nullable Scheduler scheduler;
        private final CurrentConnection connections;
        private final SchedulerClient client;

        Scheduling(DataSource pool, OneTimeTask<String> task, @Nullable Scheduler scheduler) {
            this.pool = pool;
            this.task = task;
            this.scheduler = scheduler;
            this.connections = new CurrentConnection(pool);
            this.client = SchedulerClient.Builder.create(connections, task)
                    .serializer(new Text())
                    .build();
        }

        @Override
        public void transaction(Work work) throws SQLException {
            RawTransaction.commit(
                    pool,
                    transaction ->
                            work.run(transaction, events -> connections.during(transaction, () -> schedule(events))));
            if (scheduler != null) {
                scheduler.triggerCheckForDueExecutions();
            }
        }

        private void schedule(List<Outgoing> events) {
            List<TaskInstance<?>> batch = new ArrayList<>(events.size());
            for (Outgoing event : events) {
                batch.add(task.instance(UUID.randomUUID().toString(), event.payload()));
            }
            client.scheduleBatch(batch, Instant.now());
        }

        @Override
        public void start() {
            if (scheduler != null) {
                scheduler.start();
            }
        }

        @Override
        public void close() {
            if (scheduler != null) {
                scheduler.stop();
            }
        }
    }

    /** Task data as UTF-8. */
    private static final class Text implements Serializer {
        @Override
        public byte[] serialize(Object data) {
            return String.valueOf(data).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] serialized) {
            return type.cast(new String(serialized, StandardCharsets.UTF_8));
        }
    }
}
