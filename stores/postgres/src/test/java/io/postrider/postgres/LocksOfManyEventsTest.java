package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.operate.By;
import io.postrider.operate.Operation;
import io.postrider.operate.Search;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.Retention;
import io.postrider.policy.Start;
import io.postrider.store.Chunks;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Tasks;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Statements about events of many segments lock few of them at their end, however many there are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocksOfManyEventsTest {
    private static final int SEGMENTS = Integer.getInteger("segments", 200);
    /** Of the segments of one chunk, and of all other tables with their indexes. */
    private static final int LOCKS_MAX = Layout.NAMED_MAX * ManySegments.LOCKS_OF_A_SEGMENT + 120;

    private static final By ANN = new By("ann", "a test");
    private static final Lane LANE = Lane.of(ManySegments.KEY, new EventId(UUID.randomUUID()), Lane.COUNT_DEFAULT);

    private final TestDatabase database = new TestDatabase();
    private final LockCount count = new LockCount();
    private ManySegments segments;
    private PostgresStore store;

    @BeforeAll
    void fill() throws SQLException {
        segments = new ManySegments(database, SEGMENTS);
        store = PostgresStore.of(count.on(database.dataSource()), database.config());
        subscribe("settled");
        database.execute("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, lane, epoch, 1, %1$d, pg_current_snapshot(), pg_current_xact_id(), %1$d,
                    0, 0, 0, 0, 0, 0
                FROM {lane}
                """.formatted(ManySegments.position(SEGMENTS)));
    }

    private void subscribe(String name) {
        store.subscriptions().register(name, Start.beginning(), "*");
    }

    @AfterAll
    void close() throws SQLException {
        segments.close();
    }

    @Test
    void a_replay_of_all_settled_events_locks_few() {
        replay(Operation.Target.delivered("settled"), SEGMENTS);
    }

    @Test
    void a_replay_of_the_settled_events_of_some_time_locks_few() {
        Instant from = Instant.parse(ManySegments.BEGIN).plus(Duration.ofHours(SEGMENTS / 2));
        EventFilter filter = EventFilter.ALL.between(from, from.plus(Duration.ofHours(3)));
        replay(Operation.Target.delivered("settled").filter(filter), 3);
    }

    private void replay(Operation.Target target, int events) {
        few(
                "preview",
                () -> assertThat(store.operations().preview(target, 10).count()).isEqualTo(events));
        few("start", () -> store.operations().start(Operation.Kind.REPLAY, target, Operation.Pace.UNLIMITED, ANN));
        Chunks.HeldOperation held =
                store.chunks().take("node", Set.of(), Duration.ofMinutes(1), 1).get(0);
        assertThat(held.operation().progress().total()).isEqualTo(events);
        boolean[] exhausted = {false};
        int chunks = 0;
        while (!exhausted[0] && chunks++ < SEGMENTS) {
            few(
                    "chunk",
                    () -> exhausted[0] = store.chunks()
                            .move(held, new Chunks.Room(500, 1_000_000), Duration.ofMinutes(1))
                            .orElseThrow()
                            .exhausted());
        }
        assertThat(store.operations().find(held.id()).orElseThrow().progress().done())
                .isEqualTo(events);
        forget("settled");
    }

    private void forget(String subscription) {
        try {
            for (String table : new String[] {"delivery", "attempt"}) {
                database.execute("DELETE FROM {%s} WHERE subscription = '%s'".formatted(table, subscription));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_page_of_delivery_rows_locks_few() throws SQLException {
        subscribe("listed");
        segments.rows("listed", "dead", "", "");
        for (EventFilter filter :
                List.of(EventFilter.ALL, EventFilter.ALL.tenant("acme"), EventFilter.ALL.tenant("x"))) {
            few("page", () -> store.search().deliveries("listed", Search.State.DEAD, filter, null, 5));
        }
        few(
                "large page",
                () -> assertThat(store.search()
                                .deliveries("listed", Search.State.DEAD, EventFilter.ALL, null, 1_000)
                                .hits())
                        .hasSize(Math.min(SEGMENTS, 1_000)));
    }

    @Test
    void a_claim_of_due_rows_locks_few() throws SQLException {
        subscribe("lanes");
        segments.rows("lanes", "waiting", "", "");
        Claim.Claimant claimant = new Claim.Claimant("node", "lanes", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD));
        Claim.ClaimedLane lane = store.claim().claim(claimant, List.of(), Lane.COUNT_DEFAULT).stream()
                .filter(each -> each.ownership().lane().equals(LANE))
                .findAny()
                .orElseThrow();
        List<Position> due = IntStream.rangeClosed(1, 64)
                .mapToObj(i -> new Position(ManySegments.position(i)))
                .toList();
        few(
                "claim",
                () -> assertThat(store.claim().claim(lane.ownership(), due))
                        .hasSize(64)
                        .allSatisfy(each -> assertThat(each.event()).isNotNull()));
    }

    @Test
    void a_claim_of_tasks_locks_few() throws SQLException {
        subscribe("queue");
        segments.rows("queue", "ready", "", "");
        Tasks.Claimant claimant =
                new Tasks.Claimant("node", "queue", Duration.ofMinutes(1), Duration.ZERO, Tasks.Types.ALL);
        few("claim", () -> assertThat(store.tasks().claim(claimant, 64)).hasSize(64));
    }

    @Test
    void a_sweep_of_expired_tasks_locks_few() throws SQLException {
        subscribe("late");
        segments.rows("late", "ready", ", expires_at", ", now() - interval '1 minute'");
        few("prepare", () -> assertThat(store.tasks().prepare("late").expired()).hasSize(Math.min(SEGMENTS, 1_000)));
        assertThat(database.number("SELECT count(*) FROM {delivery} WHERE subscription = 'late' AND tenant = 'acme'"))
                .isEqualTo(Math.min(SEGMENTS, 1_000));
    }

    @Test
    void a_sweep_of_dead_events_locks_few() throws SQLException {
        subscribe("moved");
        segments.rows("moved", "dead", "", "");
        few(
                "move",
                () -> assertThat(store.retain()
                                .sweep("moved", Retention.DEFAULT.deadLetters(DeadLetters.MOVED))
                                .moved())
                        .isEqualTo(Math.min(SEGMENTS, 1_000)));
        subscribe("dropped");
        segments.rows("dropped", "dead", ", changed_at", ", now() - interval '1 day'");
        few(
                "drop",
                () -> assertThat(store.retain()
                                .sweep("dropped", Retention.DEFAULT.dead(Duration.ofHours(1)))
                                .drops())
                        .isNotEmpty());
    }

    @Test
    void an_operation_about_dead_events_of_a_tenant_locks_few() throws SQLException {
        subscribe("dead");
        segments.rows("dead", "dead", "", "");
        Operation.Target target = Operation.Target.dead("dead").filter(EventFilter.ALL.tenant("acme"));
        few(
                "preview",
                () -> assertThat(store.operations().preview(target, 10).count()).isEqualTo(SEGMENTS));
        few("start", () -> store.operations().start(Operation.Kind.DISCARD, target, Operation.Pace.UNLIMITED, ANN));
        Chunks.HeldOperation held =
                store.chunks().take("node", Set.of(), Duration.ofMinutes(1), 1).get(0);
        few("chunk", () -> store.chunks().move(held, new Chunks.Room(500, 1_000), Duration.ofMinutes(1)));
        store.operations().cancel(held.id(), ANN);
    }

    private interface Work {
        void run() throws Exception;
    }

    private void few(String what, Work work) {
        count.most();
        try {
            work.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        int most = count.most();
        assertThat(most).as("locks of one %s", what).isBetween(1, LOCKS_MAX);
    }
}
