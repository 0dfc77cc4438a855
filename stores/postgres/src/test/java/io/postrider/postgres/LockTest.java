package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A log of many segments: each verb locks the few tables it needs, and their indexes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockTest {
    private static final int SEGMENTS = 100;
    /** Of a segment with all of its search indexes. */
    private static final int LOCKS_OF_A_SEGMENT = 10;
    /** Of the segments that one statement looks at, and of all other tables. */
    private static final int LOCKS_MAX = Layout.NAMED_MAX * LOCKS_OF_A_SEGMENT + 40;

    private final TestDatabase database = new TestDatabase();
    private final LockCount count = new LockCount();
    private PostgresStore store;
    private Claim.ClaimedLane lane;

    @BeforeAll
    void fill() throws SQLException {
        PostgresStore plain = database.store();
        plain.subscriptions().register("wallet", Start.beginning(), "*");
        for (int i = 0; i < SEGMENTS; i++) {
            database.execute("SELECT {append}('paid', '{}', key => 'ann')");
            database.execute("SELECT setval('{event_position}', last_value + 100) FROM {event_position}");
            extend();
        }
        database.execute("SELECT {append}('paid', '{}', key => 'ann')");
        makeSearchIndexes(plain);
        store = PostgresStore.of(count.on(database.dataSource()), database.config());
        lane = store
                .claim()
                .claim(
                        new Claim.Claimant("node", "wallet", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        Lane.COUNT_DEFAULT)
                .stream()
                .filter(each -> each.ownership()
                        .lane()
                        .equals(Lane.of("ann", new EventId(UUID.randomUUID()), Lane.COUNT_DEFAULT)))
                .findAny()
                .orElseThrow();
        long head = store.watch().now().position();
        SnapshotCursor done = SnapshotCursor.after(head - 1);
        assertThat(store.settle()
                        .settle(new Settlement(lane.ownership(), 1, done, lane.counts(), List.of(), List.of())))
                .isTrue();
    }

    private void makeSearchIndexes(PostgresStore plain) throws SQLException {
        long before;
        long indexes = 0;
        do {
            before = indexes;
            plain.prune().prune(Duration.ofDays(1));
            indexes = database.number("SELECT count(*) FROM pg_class WHERE relkind = 'i' AND relnamespace = '"
                    + database.schema() + "'::regnamespace");
        } while (indexes > before);
        assertThat(indexes).as("indexes").isGreaterThan(SEGMENTS * (LOCKS_OF_A_SEGMENT - 2L));
    }

    private void extend() throws SQLException {
        Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
        try (Connection connection = database.dataSource().getConnection()) {
            new Segments(jdbc, "event_log", "event_position", 100).extend(connection);
        }
    }

    @AfterAll
    void close() {
        database.close();
    }

    @Test
    void a_start_locks_few() {
        few(() -> PostgresStore.of(count.on(database.dataSource()), database.config()));
    }

    @Test
    void a_new_subscription_locks_few() {
        few(() -> store.subscriptions().register("search", Start.beginning(), "*"));
    }

    @Test
    void a_replay_of_settled_events_locks_few() {
        long head = store.watch().now().position();
        Operation.Target last =
                Operation.Target.delivered("wallet").positions(new Position(head - 1), new Position(head));
        few(() -> {
            store.operations().preview(last, 10);
            store.operations().start(Operation.Kind.REPLAY, last, Operation.Pace.UNLIMITED, new By("ann", "a test"));
        });
    }

    @Test
    void an_append_locks_few() {
        few(() -> {
            try (Connection connection = count.on(database.dataSource()).getConnection()) {
                connection.setAutoCommit(false);
                store.append()
                        .append(
                                connection,
                                List.of(new Append.Entry(
                                        new EventId(UUID.randomUUID()), "paid", "ann", "{}", Headers.NONE, null)));
                connection.commit();
            }
        });
    }

    @Test
    void a_claim_and_a_settle_lock_few() {
        few(() -> {
            Claim.ClaimedLane other = store.claim()
                    .claim(
                            new Claim.Claimant("node", "wallet", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                            List.of(lane.ownership().lane()),
                            Lane.COUNT_DEFAULT)
                    .get(0);
            store.settle()
                    .settle(new Settlement(
                            other.ownership(),
                            other.settlement() + 1,
                            other.cursor(),
                            other.counts(),
                            List.of(),
                            List.of()));
        });
    }

    @Test
    void a_read_at_the_head_and_one_far_behind_lock_few() {
        SnapshotCursor head = SnapshotCursor.after(store.watch().now().position() - 1);
        few(() -> assertThat(store.claim()
                        .read(lane.ownership(), head, 100, 1_000_000)
                        .events())
                .hasSize(1));
        few(() -> assertThat(store.claim()
                        .read(lane.ownership(), SnapshotCursor.after(0), 10, 1_000_000)
                        .events())
                .hasSize(10));
    }

    @Test
    void a_read_with_late_events_over_many_segments_locks_few() {
        SnapshotCursor now = SnapshotCursor.of(store.watch().now());
        SnapshotCursor late =
                new SnapshotCursor(now.position(), now.snapshot(), now.bound() + 1_000, 0, now.mark(), null);
        few(() -> assertThat(store.claim()
                        .read(lane.ownership(), late, 100, 1_000_000)
                        .events())
                .isEmpty());
        few(() -> store.watch().watch(late));
    }

    @Test
    void a_read_of_late_and_of_fresh_events_in_many_segments_locks_few() {
        SnapshotCursor now = SnapshotCursor.of(store.watch().now());
        long position = (Layout.NAMED_MAX - 1) * Segments.WIDTH + 1_000;
        SnapshotCursor far = new SnapshotCursor(position, now.snapshot(), now.bound() + 1_000, 0, now.mark(), null);
        few(() -> assertThat(store.claim()
                        .read(lane.ownership(), far, 100, 1_000_000)
                        .events())
                .isNotEmpty());
    }

    @Test
    void a_look_of_the_watcher_locks_few() {
        SnapshotCursor now = SnapshotCursor.of(store.watch().now());
        few(() -> store.watch().watch(now));
        few(() -> store.watch().watch(SnapshotCursor.after(0)));
    }

    @Test
    void a_prune_locks_few() {
        few(() -> store.prune().prune(Duration.ofDays(1)));
    }

    @Test
    void progress_a_search_and_a_story_lock_few() {
        few(() -> store.browse().progress("wallet"));
        few(() -> assertThat(store.search()
                        .events(EventFilter.ALL.key("ann"), null, 5)
                        .hits())
                .hasSize(5));
        EventId id = store.search()
                .events(EventFilter.ALL, null, 1)
                .hits()
                .get(0)
                .event()
                .id();
        few(() -> assertThat(store.search().story(id)).isPresent());
    }

    @Test
    void the_events_of_delivery_rows_lock_the_segments_they_are_in() {
        List<StoredEvent> events = store.claim()
                .read(lane.ownership(), SnapshotCursor.after(0), 3, 1_000_000)
                .events();
        few(() -> {
            assertThat(store.seals()
                            .events(
                                    lane.ownership(),
                                    events.stream().map(StoredEvent::position).toList()))
                    .hasSize(3);
        });
        assertThat(store.browse().deliveries("wallet", Delivery.Status.DEAD, Position.ZERO, 1))
                .isEmpty();
    }

    private interface Work {
        void run() throws Exception;
    }

    private void few(Work work) {
        count.most();
        try {
            work.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        assertThat(count.most()).as("locks of one transaction").isBetween(1, LOCKS_MAX);
    }
}
