package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Lane;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A log has as many lanes as were chosen when it was created, and every part of a store works with that number. */
public abstract class LanesSuite<T> {
    private static final String SUBSCRIPTION = "letters";
    private static final int EVENTS = 300;

    /** A new fixture; the suite opens, uses and closes it. */
    protected abstract StoreFixture<T> fixture();

    @Test
    void a_log_for_which_no_number_was_chosen_has_sixteen_lanes() {
        try (StoreFixture<T> fixture = fixture()) {
            assertThat(fixture.open().lanes()).isEqualTo(Lane.COUNT_DEFAULT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 257})
    void a_number_that_no_log_may_have_is_refused(int lanes) {
        try (StoreFixture<T> fixture = fixture()) {
            assertThatThrownBy(() -> fixture.open(lanes))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("4 to 256")
                    .hasMessageContaining(Integer.toString(lanes));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 64, 256})
    void every_event_is_read_from_the_lane_that_its_key_has_among_so_many(int lanes) {
        try (StoreFixture<T> fixture = fixture()) {
            Store<T> store = fixture.open(lanes);
            assertThat(store.lanes()).isEqualTo(lanes);
            store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
            Map<String, Integer> appended = append(fixture, store);
            List<Claim.ClaimedLane> claimed = claim(store, lanes);
            assertThat(claimed.stream().map(lane -> lane.ownership().lane().number()))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, lanes).boxed().toList());
            Map<String, Integer> read = new HashMap<>();
            for (Claim.ClaimedLane lane : claimed) {
                store.claim()
                        .read(lane.ownership(), lane.cursor(), EVENTS, 1 << 20)
                        .events()
                        .forEach(event -> read.put(
                                event.id().toString(), lane.ownership().lane().number()));
            }
            assertThat(read).isEqualTo(appended);
            assertThat(new HashSet<>(read.values())).hasSizeGreaterThan(lanes / 2);
        }
    }

    @Test
    void another_node_and_a_lane_of_a_high_number_see_the_same_log() {
        try (StoreFixture<T> fixture = fixture()) {
            Store<T> store = fixture.open(200);
            assertThat(fixture.another().lanes()).isEqualTo(200);
            store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
            Cursor before = store.watch().now();
            append(fixture, store);
            assertThat(store.watch().watch(before).lanes().keySet()).anyMatch(lane -> lane.number() > 190);
            Ownership high = claim(store, 200).stream()
                    .map(Claim.ClaimedLane::ownership)
                    .filter(ownership -> ownership.lane().number() == 199)
                    .findFirst()
                    .orElseThrow();
            assertThat(store.claim().release(List.of(high))).isEqualTo(1);
        }
    }

    @Test
    void seventeen_nodes_share_a_log_of_thirty_four_lanes_and_each_takes_part() {
        try (StoreFixture<T> fixture = fixture()) {
            List<Store<T>> stores = new ArrayList<>(List.of(fixture.open(34)));
            IntStream.range(1, 17).forEach(i -> stores.add(fixture.another()));
            List<Postrider<T>> nodes = new ArrayList<>();
            Map<Integer, Integer> shares = new ConcurrentHashMap<>();
            try {
                for (int i = 0; i < stores.size(); i++) {
                    int number = i;
                    Postrider<T> node = Postrider.on(stores.get(i), CONFIG.observer(observation -> {
                        if (observation instanceof Observation.Shared shared) {
                            shares.put(number, shared.lanes());
                        }
                    }));
                    nodes.add(node);
                    node.subscribe(SUBSCRIPTION)
                            .on("**", (payload, context) -> {})
                            .start();
                }
                append(fixture, stores.get(0));
                Eventually eventually = new Eventually(fixture.patience());
                eventually.holds(() -> assertThat(shares)
                        .hasSize(17)
                        .allSatisfy((node, share) -> assertThat(share).isEqualTo(2)));
                eventually.holds(() -> assertThat(stores.get(0).browse().ledger(SUBSCRIPTION))
                        .isEqualTo(new Ledger(new Counts(EVENTS, 0, 0, 0, 0, 0), 0)));
            } finally {
                nodes.forEach(Postrider::close);
            }
        }
    }

    private static final PostriderConfig CONFIG = PostriderConfig.defaults()
            .limits(NodeLimits.builder().lease(Duration.ofSeconds(20)).build());

    private Map<String, Integer> append(StoreFixture<T> fixture, Store<T> store) {
        Map<String, Integer> appended = new HashMap<>();
        T transaction = fixture.begin();
        for (int i = 0; i < EVENTS; i++) {
            Append.Entry entry = StoreCase.entry("key-" + i, "text");
            store.append().append(transaction, List.of(entry));
            appended.put(
                    entry.id().toString(),
                    Lane.of(entry.key(), entry.id(), store.lanes()).number());
        }
        fixture.commit(transaction);
        return appended;
    }

    private static List<Claim.ClaimedLane> claim(Store<?> store, int lanes) {
        store.renew().renew("node", StoreCase.LONG_LEASE, Set.of(SUBSCRIPTION));
        return store.claim().claim(StoreCase.claimant("node", SUBSCRIPTION, "**"), List.of(), lanes);
    }
}
