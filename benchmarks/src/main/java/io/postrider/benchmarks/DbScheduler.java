package io.postrider.benchmarks;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.UUID;

/**
 * What every scenario has of db-scheduler: its table, a task whose data is the payload, and no cost it can do without
 * (text as UTF-8 instead of Java serialization, no priorities and so no index for them).
 */
final class DbScheduler {
    static final String NAME = "db-scheduler " + Versions.of("db-scheduler");
    static final String TABLE = "bench.scheduled_tasks";

    private final OneTimeTask<String> task;

    DbScheduler(Runnable handled) {
        this.task = Tasks.oneTime("bench", String.class).execute((instance, context) -> handled.run());
    }

    OneTimeTask<String> task() {
        return task;
    }

    TaskInstance<String> instance(String payload) {
        return task.instance(UUID.randomUUID().toString(), payload);
    }

    /** The table and the indexes its documentation asks for. */
    static void create(Database database) throws SQLException {
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

    /** Task data as UTF-8. */
    static final class Text implements Serializer {
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
