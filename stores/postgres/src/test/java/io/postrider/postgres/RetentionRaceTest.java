package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.operate.By;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.Retention;
import io.postrider.policy.Start;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes sweep while operators decide: each dead event comes to one end, and the ledger knows which. */
class RetentionRaceTest {
    private static final By ANN = new By("ann", "");
    private static final int DEAD = 3_000;
    private static final Retention MOVED = Retention.DEFAULT.deadLetters(DeadLetters.MOVED);

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();
    private final ExecutorService threads = Executors.newFixedThreadPool(5);

    @AfterEach
    void close() {
        threads.shutdownNow();
        database.close();
    }

    @Test
    void sweeps_and_decisions_at_the_same_time_lose_nothing_and_count_nothing_twice() throws Exception {
        fill();
        Callable<Long> moves = () -> {
            long moved = 0;
            for (int i = 0; i < 20; i++) {
                moved += store.retain().sweep("s", MOVED).moved();
            }
            return moved;
        };
        Callable<Long> replays = () ->
                decided(position -> store.operate().replay("s", position, ANN).done());
        Callable<Long> discards = () ->
                decided(position -> store.operate().discard("s", position, ANN).done());
        List<Future<Long>> done = threads.invokeAll(List.of(moves, moves, replays, discards));
        long replayed = done.get(2).get();
        long discarded = done.get(3).get();
        assertThat(replayed + discarded).isEqualTo(DEAD);
        assertThat(store.browse().ledger("s").counts().parked()).isEqualTo(replayed);
        assertThat(store.browse().ledger("s").counts().discarded()).isEqualTo(discarded);
        assertThat(store.browse().ledger("s").counts().dead()).isZero();
        assertThat(store.browse().deliveries("s", Delivery.Status.WAITING, Position.ZERO, DEAD))
                .hasSize((int) replayed);
        assertThat(store.deadEvents().list("s", DeadEvent.Status.PENDING, Position.ZERO, DEAD))
                .isEmpty();
    }

    @Test
    void sweeps_of_several_nodes_let_each_event_go_once() throws Exception {
        fill();
        Retention none = MOVED.dead(Duration.ZERO);
        Callable<List<Drop>> sweeps = () -> {
            List<Drop> drops = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                drops.addAll(store.retain().sweep("s", none).drops());
            }
            return drops;
        };
        List<Drop> told = new ArrayList<>();
        for (Future<List<Drop>> one : threads.invokeAll(List.of(sweeps, sweeps, sweeps))) {
            told.addAll(one.get());
        }
        assertThat(told.stream().mapToLong(Drop::events).sum()).isEqualTo(DEAD);
        assertThat(store.retain().drops("s", DEAD)).containsExactlyInAnyOrderElementsOf(told);
        assertThat(store.browse().ledger("s").counts().discarded()).isEqualTo(DEAD);
        assertThat(store.browse().ledger("s").counts().dead()).isZero();
    }

    /** What someone decides about. */
    private interface Decision {
        boolean about(Position position);
    }

    private static long decided(Decision decision) {
        long decided = 0;
        for (int position = 1; position <= DEAD; position++) {
            decided += decision.about(new Position(position)) ? 1 : 0;
        }
        return decided;
    }

    /** Dead rows that are on the ledger by a tally. */
    private void fill() throws SQLException {
        store.subscriptions().register("s", Start.beginning(), "");
        database.execute("INSERT INTO {tally} (subscription, dead) VALUES ('s', " + DEAD + ")");
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    payload, headers, appended_at)
                SELECT 's', n %% 16, n, gen_random_uuid(), 'paid', 'dead', 1, now(), false, '{}', '{}', now()
                FROM generate_series(1, %d) AS n
                """.formatted(DEAD));
    }
}
