package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Claim: a lane has one holder, whose epoch fences all earlier ones. */
public abstract class ClaimSuite<T> extends StoreCase<T> {

    @Test
    void a_node_takes_lanes_that_nobody_holds_and_no_more_than_it_asks_for() {
        register();
        renew(NODE, LONG_LEASE);
        List<Claim.ClaimedLane> claimed = claim(NODE, 5);
        assertThat(lanes(claimed)).hasSize(5).doesNotHaveDuplicates();
        assertThat(claimed).allSatisfy(lane -> {
            assertThat(lane.ownership().subscription()).isEqualTo(SUBSCRIPTION);
            assertThat(lane.takeovers()).isZero();
            assertThat(lane.deliveries()).isEmpty();
            assertThat(lane.counts().total()).isZero();
        });
    }

    @Test
    void nodes_share_the_lanes() {
        register();
        renew(NODE, LONG_LEASE);
        renew(OTHER_NODE, LONG_LEASE);
        List<Lane> all = new ArrayList<>(lanes(claim(NODE, 10)));
        all.addAll(lanes(fixture.another().claim().claim(claimant(OTHER_NODE, SUBSCRIPTION, FILTER), List.of(), 10)));
        assertThat(all).hasSize(Lane.COUNT_DEFAULT).doesNotHaveDuplicates();
        assertThat(claim("node-3", 1)).isEmpty();
    }

    @Test
    void a_lane_is_not_taken_while_its_holders_lease_lasts() {
        reader("ann");
        renew(OTHER_NODE, LONG_LEASE);
        assertThat(claim(OTHER_NODE, Lane.COUNT_DEFAULT)).isEmpty();
    }

    @Test
    void a_node_that_names_the_lanes_it_holds_gets_only_others() {
        register();
        renew(NODE, LONG_LEASE);
        List<Lane> held = lanes(claim(NODE, 10));
        List<Lane> more = lanes(store.claim().claim(claimant(NODE, SUBSCRIPTION, FILTER), held, Lane.COUNT_DEFAULT));
        assertThat(more).hasSize(Lane.COUNT_DEFAULT - 10).doesNotContainAnyElementsOf(held);
    }

    @Test
    void a_node_gets_a_lane_that_it_holds_but_does_not_name_under_a_new_epoch() {
        LaneReader first = reader("ann");
        LaneReader second = of("ann", readers(NODE, SUBSCRIPTION));
        assertThat(second.ownership().epoch()).isGreaterThan(first.ownership().epoch());
        assertThat(second.claimed().takeovers()).isZero();
        assertThat(first.settle(0)).isFalse();
        assertThat(second.settle(0)).isTrue();
    }

    @Test
    void each_claim_of_a_lane_has_a_higher_epoch() {
        register();
        List<Long> epochs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            LaneReader reader = of("ann", readers(NODE, SUBSCRIPTION));
            epochs.add(reader.ownership().epoch());
            store.renew().leave(NODE);
        }
        assertThat(epochs).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void a_released_lane_can_be_taken_at_once_and_counts_no_takeover() {
        LaneReader first = reader("ann");
        assertThat(store.claim().release(List.of(first.ownership()))).isEqualTo(1);
        renew(OTHER_NODE, LONG_LEASE);
        List<Claim.ClaimedLane> taken = claim(OTHER_NODE, Lane.COUNT_DEFAULT);
        assertThat(lanes(taken)).containsExactly(first.lane());
        assertThat(taken.get(0).takeovers()).isZero();
        assertThat(taken.get(0).ownership().epoch())
                .isGreaterThan(first.ownership().epoch());
    }

    @Test
    void a_release_under_an_earlier_epoch_leaves_the_lane_alone() {
        LaneReader first = reader("ann");
        LaneReader second = of("ann", readers(NODE, SUBSCRIPTION));
        assertThat(store.claim().release(List.of(first.ownership()))).isZero();
        assertThat(second.settle(0)).isTrue();
    }

    @Test
    void lanes_of_a_node_that_left_can_be_taken_at_once_and_count_no_takeover() {
        reader("ann");
        store.renew().leave(NODE);
        assertThat(readers(OTHER_NODE, SUBSCRIPTION))
                .hasSize(Lane.COUNT_DEFAULT)
                .allSatisfy(reader -> assertThat(reader.claimed().takeovers()).isZero());
    }

    @Test
    void a_lane_whose_holders_lease_has_run_out_is_taken_over_and_counts_it() {
        LaneReader first = reader("ann");
        renew(NODE, SHORT_LEASE);
        LaneReader second = takeOver(OTHER_NODE, SHORT_LEASE, "ann");
        assertThat(second.claimed().takeovers()).isEqualTo(1);
        assertThat(second.ownership().epoch()).isGreaterThan(first.ownership().epoch());
        LaneReader third = takeOver("node-3", LONG_LEASE, "ann");
        assertThat(third.claimed().takeovers()).isEqualTo(2);
    }

    @Test
    void a_settle_forgets_the_takeovers() {
        reader("ann");
        renew(NODE, SHORT_LEASE);
        LaneReader second = takeOver(OTHER_NODE, LONG_LEASE, "ann");
        assertThat(second.claimed().takeovers()).isEqualTo(1);
        assertThat(second.settle(0)).isTrue();
        renew(OTHER_NODE, SHORT_LEASE);
        assertThat(takeOver("node-3", LONG_LEASE, "ann").claimed().takeovers()).isEqualTo(1);
    }

    @Test
    void a_release_does_not_forget_the_takeovers() {
        reader("ann");
        renew(NODE, SHORT_LEASE);
        LaneReader second = takeOver(OTHER_NODE, LONG_LEASE, "ann");
        store.claim().release(List.of(second.ownership()));
        LaneReader third = takeOver("node-3", LONG_LEASE, "ann");
        assertThat(third.claimed().takeovers()).isEqualTo(1);
    }

    @Test
    void a_subscription_that_is_not_there_has_no_lanes() {
        register();
        store.renew().renew(NODE, LONG_LEASE, Set.of("unknown", SUBSCRIPTION));
        assertThat(store.claim().claim(claimant(NODE, "unknown", FILTER), List.of(), Lane.COUNT_DEFAULT))
                .isEmpty();
        assertThat(claim(NODE, Lane.COUNT_DEFAULT)).hasSize(Lane.COUNT_DEFAULT);
    }

    // ---- what a claim brings ----------------------------------------------------------------------------------------

    @Test
    void a_new_owner_goes_on_where_the_last_one_settled() {
        committed("ann", "a", "b", "c");
        LaneReader first = reader("ann");
        assertThat(LaneReader.texts(first.next(2))).containsExactly("a", "b");
        assertThat(first.settle(2)).isTrue();
        first.next(1);
        store.renew().leave(NODE);
        LaneReader second = of("ann", readers(OTHER_NODE, SUBSCRIPTION));
        assertThat(second.claimed().counts()).isEqualTo(first.counts());
        assertThat(second.drain()).containsExactly("c");
        assertThat(second.settle(1)).isTrue();
    }

    @Test
    void a_claim_brings_the_rows_of_its_lane_the_dead_ones_too() {
        committed("ann", "a", "b", "c");
        LaneReader first = reader("ann");
        List<StoredEvent> events = first.drain(LaneReader.MANY);
        assertThat(events).hasSize(3);
        assertThat(first.park(List.of(parked(events.get(0))))).isTrue();
        assertThat(first.bury(List.of(dead(events.get(1))))).isTrue();
        store.renew().leave(NODE);
        List<LaneReader> all = readers(OTHER_NODE, SUBSCRIPTION);
        assertThat(of("ann", all).claimed().deliveries())
                .extracting(row -> row.position())
                .containsExactlyInAnyOrder(
                        events.get(0).position(), events.get(1).position());
        assertThat(all)
                .filteredOn(reader -> !reader.lane().equals(first.lane()))
                .allSatisfy(reader -> assertThat(reader.claimed().deliveries()).isEmpty());
    }

    private static List<Lane> lanes(List<Claim.ClaimedLane> claimed) {
        return claimed.stream()
                .map(Claim.ClaimedLane::ownership)
                .map(Ownership::lane)
                .toList();
    }
}
