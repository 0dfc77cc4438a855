package io.postrider.postgres.load;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/** A node of a queue in a process of its own: notes in the database when a task begins and when it ends. */
final class TaskNode {
    static final String SUBSCRIPTION = "tasks";
    static final String TYPE = "task.sleep";
    static final String POISON = "task.poison";
    static final Duration LEASE = Duration.ofSeconds(4);
    static final int POISON_ATTEMPTS = 3;
    static final int CONCURRENCY = 4;

    private TaskNode() {}

    /** How long a task takes. */
    record Content(int millis) {}

    public static void main(String[] arguments) throws Exception {
        NodeLimits limits = NodeLimits.builder()
                .subscriptions(s -> s.concurrency(CONCURRENCY))
                .lease(Duration.ofSeconds(3))
                .build();
        try (HikariDataSource pool = Database.inherited().pool(8);
                Postrider<Connection> postrider = Postrider.on(
                        PostgresStore.of(pool), PostriderConfig.defaults().limits(limits))) {
            postrider
                    .subscribe(SUBSCRIPTION)
                    .on(TYPE, Content.class, (content, context) -> run(pool, content, context))
                    .on(POISON, (payload, context) -> die(pool, context))
                    .retry(RetryPolicy.DEFAULT.attempts(20).pauses(Duration.ofMillis(10), Duration.ofMillis(100)))
                    .retry(POISON, RetryPolicy.DEFAULT.attempts(POISON_ATTEMPTS))
                    .queue(Queue.DEFAULT.lease(LEASE))
                    .start();
            DeliveryNode.waitForEndOfInput();
        }
    }

    private static void run(DataSource pool, Content content, EventContext context) throws Exception {
        UUID run = begin(pool, context);
        Thread.sleep(content.millis());
        execute(pool, "UPDATE run SET ended = clock_timestamp() WHERE id = ?", run);
    }

    /** As a fault in native code does, or an operator who loses patience. */
    private static void die(DataSource pool, EventContext context) throws SQLException {
        begin(pool, context);
        Runtime.getRuntime().halt(1);
    }

    /** With the lease as it was granted, from which others count. */
    private static UUID begin(DataSource pool, EventContext context) throws SQLException {
        UUID run = UUID.randomUUID();
        UUID task = context.id().value();
        execute(pool, """
                INSERT INTO run (id, task, lease_until) SELECT ?, id, lease_until FROM postrider.delivery WHERE id = ?
                """, run, task);
        return run;
    }

    private static void execute(DataSource pool, String sql, Object... parameters) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }
}
