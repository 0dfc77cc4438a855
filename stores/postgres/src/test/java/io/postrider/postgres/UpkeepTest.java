package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node whose prune fails, and one of whose sweeps fails, carries out the rest of its upkeep. */
class UpkeepTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_failing_prune_and_a_failing_sweep_keep_no_other_sweep_from_being_carried_out() throws SQLException {
        database.execute("""
                CREATE FUNCTION {refuse}() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'prune fails in this test'; END $$
                """);
        database.execute("""
                CREATE TRIGGER refuse BEFORE DELETE ON {past_filter} FOR EACH STATEMENT EXECUTE FUNCTION {refuse}()
                """);
        database.execute("ALTER TABLE {dropped} ADD CHECK (subscription NOT IN ('first', 'last'))");
        NodeLimits limits = NodeLimits.builder()
                .pollMin(Duration.ofMillis(2))
                .pruneEvery(Duration.ofMillis(20))
                .build();
        try (Postrider<Connection> node =
                Postrider.on(store, PostriderConfig.defaults().limits(limits))) {
            subscribe(node, "first");
            subscribe(node, "middle");
            subscribe(node, "last");
            try (Connection transaction = database.begin()) {
                node.outbox().append(transaction, Event.of("paid", "one"));
                transaction.commit();
            }
            Eventually.holds(PATIENCE, () -> {
                assertThat(store.retain().drops("middle", 10)).hasSize(1);
                assertThat(store.browse().progress("first").counts().dead()).isEqualTo(1);
                assertThat(store.browse().progress("last").counts().dead()).isEqualTo(1);
            });
        }
    }

    private static void subscribe(Postrider<Connection> node, String name) {
        node.subscribe(name)
                .on("paid", String.class, (payload, context) -> {
                    throw new IllegalStateException("not payable");
                })
                .retry(RetryPolicy.DEFAULT.attempts(1))
                .retention(Retention.DEFAULT.dead(Duration.ZERO))
                .start();
    }
}
