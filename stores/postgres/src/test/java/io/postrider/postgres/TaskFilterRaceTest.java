package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.operate.Removed;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No task is claimed under a filter that a change under way replaces: a node without a route would skip it. */
class TaskFilterRaceTest {
    private static final String NAME = "tasks";
    private static final String BEFORE = "a #queue";
    private static final String AFTER = "a b #queue";
    private static final int CLAIMANTS = 6;

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        others.shutdownNow();
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void a_claim_that_meets_a_change_of_the_filter_waits_for_it_and_gets_nothing(String isolation) throws SQLException {
        registerWithTask();
        try (HikariDataSource pool = TestDatabase.pool(isolation)) {
            PostgresStore claimant = PostgresStore.of(pool, database.config());
            CompletableFuture<List<Claim.ClaimedDelivery>> claimed = claimDuringChange(claimant);
            assertThat(claimed.join()).isEmpty();
            assertThat(claim(claimant, AFTER)).hasSize(1);
        }
    }

    @Test
    void a_claim_that_was_first_is_taken_back_by_the_change() throws SQLException {
        registerWithTask();
        assertThat(claim(store, BEFORE)).hasSize(1);
        assertThat(store.subscriptions()
                        .register(NAME, Start.beginning(), AFTER)
                        .replaced())
                .isEqualTo(BEFORE);
        assertThat(claim(store, AFTER)).hasSize(1);
    }

    /** Claims share the lock of the subscription's row, and their stream must not keep a change or a removal out. */
    @Test
    void a_change_and_a_removal_get_through_while_many_nodes_claim_all_the_time() throws Exception {
        registerWithTask();
        AtomicBoolean ended = new AtomicBoolean();
        List<CompletableFuture<Void>> claims = new ArrayList<>();
        for (int i = 0; i < CLAIMANTS; i++) {
            claims.add(CompletableFuture.runAsync(
                    () -> {
                        while (!ended.get()) {
                            claim(store, null);
                        }
                    },
                    others));
        }
        try {
            for (int i = 0; i < 20; i++) {
                String filter = i % 2 == 0 ? AFTER : BEFORE;
                CompletableFuture<Subscriptions.Registered> changed = CompletableFuture.supplyAsync(
                        () -> store.subscriptions().register(NAME, Start.beginning(), filter), others);
                assertThat(changed.get(20, TimeUnit.SECONDS).replaced()).isNotNull();
            }
            CompletableFuture<Removed> removed = CompletableFuture.supplyAsync(
                    () -> store.operate().remove(NAME, new By("ann", ""), Removal.DROPPING), others);
            assertThat(removed.get(20, TimeUnit.SECONDS).done()).isTrue();
        } finally {
            ended.set(true);
        }
        CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        assertThat(claim(store, null)).isEmpty();
    }

    private CompletableFuture<List<Claim.ClaimedDelivery>> claimDuringChange(PostgresStore claimant)
            throws SQLException {
        try (Connection change = database.begin();
                var statement = change.createStatement()) {
            statement.execute(sql("SELECT * FROM {change_filter}('tasks', '" + AFTER + "', 'next')"));
            CompletableFuture<List<Claim.ClaimedDelivery>> claimed =
                    CompletableFuture.supplyAsync(() -> claim(claimant, BEFORE), others);
            Eventually.holds(
                    Duration.ofSeconds(20),
                    () -> assertThat(claimed.isDone() || isWaiting())
                            .as("it waits, or has its answer")
                            .isTrue());
            change.commit();
            return claimed;
        }
    }

    private boolean isWaiting() throws SQLException {
        return database.number("""
                SELECT count(*) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND query LIKE '%%%s.%%'
                """.formatted(database.schema())) == 1;
    }

    private void registerWithTask() throws SQLException {
        store.subscriptions().register(NAME, Start.beginning(), BEFORE);
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    priority, payload, headers, appended_at)
                VALUES ('tasks', 1, 1, gen_random_uuid(), 'b', 'ready', 0, now(), false, 0, '{}', '{}', now())
                """);
    }

    private static List<Claim.ClaimedDelivery> claim(PostgresStore store, @Nullable String filter) {
        Duration lease = Duration.ofHours(1);
        return store.tasks().claim(new Tasks.Claimant("node", NAME, lease, Duration.ZERO, Tasks.Types.ALL, filter), 10);
    }

    private String sql(String text) {
        return text.replaceAll("\\{(\\w+)}", database.schema() + ".$1");
    }
}
