package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.postgres.Eventually;
import io.postrider.postgres.PostgresStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Four nodes of a queue, of which one gets SIGKILL every few seconds, and tasks that end their process. */
class TaskCrashTest {
    private static final int NODES = 4;
    private static final int TASKS = 250;
    private static final int POISON = 2;
    private static final int LONGEST_MILLIS = 2_000;
    private static final int KILLS = 5;
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final List<NodeProcess> nodes = new ArrayList<>();
    private final Random random = new Random(4);

    @TempDir
    Path folder;

    @Test
    void each_task_is_completed_none_runs_twice_at_once_and_what_ends_its_process_is_buried() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of());
                HikariDataSource pool = Database.of(server).pool(4)) {
            PostgresStore store = PostgresStore.of(pool);
            execute(pool, """
                    CREATE TABLE run (id uuid PRIMARY KEY, task uuid NOT NULL,
                        began timestamptz NOT NULL DEFAULT clock_timestamp(), ended timestamptz,
                        lease_until timestamptz)
                    """);
            append(store);
            try {
                for (int i = 0; i < NODES; i++) {
                    nodes.add(start(server));
                }
                killSome(server);
                Ledger done = new Ledger(new Counts(TASKS, 0, 0, POISON, 0, 0), 0);
                Eventually.holds(PATIENCE, () -> {
                    replaceDead(server);
                    assertThat(store.browse().ledger(TaskNode.SUBSCRIPTION)).isEqualTo(done);
                });
            } finally {
                nodes.forEach(NodeProcess::close);
            }
            judge(pool);
        }
    }

    private static void append(PostgresStore store) throws Exception {
        Random random = new Random(7);
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            events.add(Event.of(TaskNode.TYPE, new TaskNode.Content(random.nextInt(LONGEST_MILLIS))));
        }
        for (int i = 0; i < POISON; i++) {
            events.add(random.nextInt(TASKS), Event.of(TaskNode.POISON, "{}"));
        }
        try (Postrider<Connection> appender = Postrider.on(store)) {
            appender.transaction(transaction -> appender.outbox().append(transaction, events));
        }
    }

    private void killSome(EmbeddedPostgres server) throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            Instant next = Instant.now().plus(BETWEEN_KILLS);
            while (Instant.now().isBefore(next)) {
                replaceDead(server);
                Load.pace(Duration.ofMillis(100));
            }
            nodes.get(random.nextInt(NODES)).kill();
        }
    }

    /** What was killed, and what a task has ended, comes back as a new process. */
    private void replaceDead(EmbeddedPostgres server) throws IOException {
        for (int i = 0; i < NODES; i++) {
            if (!nodes.get(i).isAlive()) {
                nodes.set(i, start(server));
            }
        }
    }

    private NodeProcess start(EmbeddedPostgres server) throws IOException {
        return NodeProcess.start(TaskNode.class, Database.of(server), List.of(), folder);
    }

    private static void judge(DataSource pool) throws SQLException {
        long runs = number(pool, "SELECT count(*) FROM run");
        long cut = number(pool, "SELECT count(*) FROM run WHERE ended IS NULL");
        System.out.printf(
                "%d tasks, %d that end their process: %d runs, %d of them cut short%n", TASKS, POISON, runs, cut);
        assertThat(number(pool, "SELECT count(DISTINCT task) FROM run WHERE ended IS NOT NULL"))
                .as("tasks that ran to their end")
                .isEqualTo(TASKS);
        assertThat(number(pool, """
                        SELECT count(*) FROM run a JOIN run b ON a.task = b.task AND a.id <> b.id
                        WHERE b.began >= a.began AND b.began < a.ended
                        """))
                .as("runs that began while another of the same task went on to its end")
                .isZero();
        assertThat(number(pool, """
                        SELECT count(*) FROM run a JOIN run b ON a.task = b.task AND b.began > a.began
                        WHERE a.ended IS NULL AND b.began < a.lease_until
                        """))
                .as("runs that began within the lease of one that was cut short")
                .isZero();
        assertThat(cut).as("runs that were cut short").isGreaterThanOrEqualTo((long) POISON * TaskNode.POISON_ATTEMPTS);
    }

    private static long number(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
