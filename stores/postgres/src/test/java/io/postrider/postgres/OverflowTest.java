package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No node has run for a long time: events are beyond all segments, and nothing of that remains once one runs again. */
class OverflowTest {
    private static final String SUBSCRIPTION = "wallet";
    private static final String FILTER = "*";
    private static final int EVENTS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @BeforeEach
    void segmentsAreNarrow() throws SQLException {
        narrow(database::execute);
    }

    /** What a database has that was made when segments were narrow. */
    interface Execute {
        void run(String sql) throws SQLException;
    }

    static void narrow(Execute execute) throws SQLException {
        execute.run("ALTER TABLE {event_log} DETACH PARTITION {event_log_1}");
        execute.run("ALTER TABLE {event_log} ATTACH PARTITION {event_log_1} FOR VALUES FROM (1) TO (101)");
        execute.run("UPDATE {segment} SET next = 101 WHERE log = 'event_log'");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void the_default_partition_becomes_a_segment_and_later_events_go_to_new_ones() throws SQLException {
        appendUntilTheSegmentsOverflow();
        store.prune().prune(Duration.ZERO);
        append(1);
        assertThat(inRest()).isZero();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(EVENTS + 1);
        assertThat(database.number("SELECT max(position) FROM {event_log}")).isGreaterThan(Overflow.FAR);
        assertThat(database.number("SELECT count(*) FROM pg_constraint WHERE conname = 'overflow'"))
                .isZero();
    }

    @Test
    void a_step_that_another_node_began_is_finished_and_no_append_fails_meanwhile() throws SQLException {
        appendUntilTheSegmentsOverflow();
        database.execute("ALTER TABLE {event_log_rest} ADD CONSTRAINT overflow"
                + " CHECK (position >= 101 AND position < " + (EVENTS + Overflow.FAR) + ") NOT VALID");
        append(1);
        store.prune().prune(Duration.ZERO);
        append(1);
        assertThat(inRest()).isZero();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(EVENTS + 2);
        assertThat(database.number("SELECT max(position) FROM {event_log}")).isEqualTo(Overflow.FAR + Segments.WIDTH);
    }

    @Test
    void the_default_partition_that_takes_its_place_refuses_positions_of_segments_at_once() throws SQLException {
        store.prune().prune(Duration.ofDays(1));
        appendUntilTheSegmentsOverflow();
        Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(new Overflow(jdbc, "event_log").becomesSegment(connection, 101, Segments.WIDTH))
                    .isTrue();
        }
        OpenAppendTest.assertDefaultPartitionRefuses(database, Segments.WIDTH);
        OpenAppendTest.assertDefaultPartitionRefuses(database, 2 * Segments.WIDTH - 1);
    }

    @Test
    void the_default_partition_is_searched_while_a_segment_is_ahead() throws SQLException {
        store.prune().prune(Duration.ofDays(1));
        appendUntilTheSegmentsOverflow();
        assertThat(store.search().events(EventFilter.ALL, null, 5).hits())
                .extracting(hit -> hit.event().position().value())
                .containsExactly(1000L, 999L, 998L, 997L, 996L);
    }

    @Test
    void the_sequence_never_goes_back() throws SQLException {
        appendUntilTheSegmentsOverflow();
        store.prune().prune(Duration.ZERO);
        append(5);
        long last = database.number("SELECT max(position) FROM {event_log}");
        store.prune().prune(Duration.ZERO);
        append(1);
        assertThat(database.number("SELECT max(position) FROM {event_log}")).isEqualTo(last + 1);
        assertThat(database.number("SELECT count(*) FROM {gap}")).isEqualTo(1);
    }

    @Test
    void an_append_that_is_held_open_puts_it_off_and_the_others_go_on() throws SQLException {
        appendUntilTheSegmentsOverflow();
        try (Connection holder = database.begin()) {
            holder.createStatement().execute("SELECT " + database.schema() + ".append('paid', '{}')");
            store.prune().prune(Duration.ZERO);
            append(1);
            assertThat(inRest()).isPositive();
            holder.commit();
        }
        store.prune().prune(Duration.ZERO);
        assertThat(inRest()).isZero();
    }

    @Test
    void what_is_pending_is_estimated_without_the_gap() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER);
        appendUntilTheSegmentsOverflow();
        store.prune().prune(Duration.ZERO);
        append(40_000 - EVENTS);
        Browse.Progress progress = store.browse().progress(SUBSCRIPTION);
        assertThat(progress.pendingEstimate()).isBetween(30_000L, 50_000L);
    }

    @Test
    void everything_is_delivered_once_and_pruned() throws Exception {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER);
        appendUntilTheSegmentsOverflow();
        List<EventId> delivered = new ArrayList<>();
        Set<EventId> distinct = ConcurrentHashMap.newKeySet();
        try (Postrider<Connection> postrider = Postrider.on(store, config())) {
            postrider
                    .subscribe(SUBSCRIPTION)
                    .on("*", (payload, context) -> {
                        distinct.add(context.id());
                        synchronized (delivered) {
                            delivered.add(context.id());
                        }
                    })
                    .start();
            Eventually.holds(PATIENCE, () -> {
                append(1);
                assertThat(database.number("SELECT count(*) FROM {event_log} WHERE position <= " + EVENTS))
                        .as("events of the overflow that are still in the log")
                        .isZero();
            });
            Eventually.holds(
                    PATIENCE,
                    () -> assertThat(store.browse().ledger(SUBSCRIPTION))
                            .isEqualTo(new Ledger(new Counts(distinct.size(), 0, 0, 0, 0, 0), 0)));
        }
        assertThat(delivered).hasSameSizeAs(new HashSet<>(delivered)).hasSizeGreaterThan(EVENTS);
    }

    @Test
    void nodes_that_prune_the_same_segments_at_once_do_not_stumble() throws Exception {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER);
        for (int i = 0; i < 40; i++) {
            store.prune().prune(Duration.ZERO);
            append(100);
        }
        database.execute("UPDATE {settlement} SET floor = (SELECT max(position) FROM {event_log})");
        assertThat(database.number("SELECT count(*) FROM pg_inherits WHERE inhparent = '{event_log}'::regclass"))
                .isGreaterThan(20);
        ExecutorService nodes = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> dropped = new ArrayList<>();
            for (int node = 0; node < 4; node++) {
                dropped.add(
                        nodes.submit(() -> store.prune().prune(Duration.ZERO).dropped()));
            }
            int sum = 0;
            for (Future<Integer> future : dropped) {
                sum += future.get();
            }
            assertThat(sum).isPositive();
        } finally {
            nodes.shutdown();
        }
    }

    private void appendUntilTheSegmentsOverflow() throws SQLException {
        append(EVENTS);
        assertThat(inRest()).isEqualTo(EVENTS - database.config().segmentSize());
    }

    private long inRest() throws SQLException {
        return database.number("SELECT count(*) FROM {event_log_rest}");
    }

    private void append(int events) throws SQLException {
        database.execute("SELECT count({append}('paid', '{}', key => 'team-' || number))" + " FROM generate_series(1, "
                + events + ") AS number");
    }

    private static PostriderConfig config() {
        return PostriderConfig.defaults()
                .limits(NodeLimits.builder()
                        .retain(Duration.ZERO)
                        .pruneEvery(Duration.ofMillis(100))
                        .subscriptions(
                                s -> s.rereadEvery(Duration.ofMillis(100)).settleQuietEvery(Duration.ofMillis(100)))
                        .build());
    }
}
