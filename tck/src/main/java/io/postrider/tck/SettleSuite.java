package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import io.postrider.store.StoreException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Settle: what a batch came to is written whole by the lane's holder, or not at all. */
public abstract class SettleSuite<T> extends StoreCase<T> {

    @Test
    void the_newest_settlement_is_what_a_lane_came_to() {
        committed("ann", "a", "b");
        LaneReader reader = reader("ann");
        reader.next(1);
        assertThat(reader.settle(1)).isTrue();
        reader.next(1);
        assertThat(reader.settle(new Counts(0, 1, 0, 0, 0, 0), List.of(), List.of()))
                .isTrue();
        Claim.ClaimedLane next = nextOwner();
        assertThat(next.cursor()).isEqualTo(reader.cursor());
        assertThat(next.counts()).isEqualTo(new Counts(1, 1, 0, 0, 0, 0));
        assertThat(next.settlement()).isGreaterThanOrEqualTo(reader.claimed().settlement() + 2);
    }

    @Test
    void rows_are_inserted_replaced_and_removed_with_their_settlement() {
        committed("ann", "a", "b", "c");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(events).hasSize(3);
        Delivery first = parked(events.get(0));
        Delivery second = parked(events.get(1));
        assertThat(reader.park(List.of(first, second))).isTrue();
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.WAITING, Position.ZERO, 10))
                .containsExactlyInAnyOrder(first, second);
        Delivery again = second.waiting(2, someTime().plusSeconds(9), "again");
        Delivery third = parked(events.get(2));
        assertThat(reader.settle(new Counts(1, 0, 0, 0, 0, 0), List.of(again, third), List.of(first.position())))
                .isTrue();
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.WAITING, Position.ZERO, 10))
                .containsExactlyInAnyOrder(again, third);
    }

    @Test
    void a_late_settle_after_the_lane_was_lost_writes_nothing() {
        committed("ann", "a", "b");
        LaneReader first = reader("ann");
        renew(NODE, SHORT_LEASE);
        LaneReader second = takeOver(OTHER_NODE, LONG_LEASE, "ann");
        assertThat(second.next(1)).hasSize(1);
        assertThat(second.settle(1)).isTrue();
        assertThatNothingIsWrittenBy(first, second);
    }

    @Test
    void a_settle_under_an_earlier_epoch_writes_nothing_although_the_node_is_the_same() {
        committed("ann", "a", "b");
        LaneReader first = reader("ann");
        LaneReader second = of("ann", readers(NODE, SUBSCRIPTION));
        assertThatNothingIsWrittenBy(first, second);
    }

    @Test
    void a_settle_after_a_release_writes_nothing() {
        committed("ann", "a");
        LaneReader first = reader("ann");
        List<StoredEvent> events = first.drain(LaneReader.MANY);
        store.claim().release(List.of(first.ownership()));
        assertThat(first.park(List.of(parked(events.get(0))))).isFalse();
        LaneReader second = takeOver(OTHER_NODE, LONG_LEASE, "ann");
        assertThat(second.claimed().deliveries()).isEmpty();
        assertThat(second.drain()).containsExactly("a");
    }

    @Test
    void a_settle_for_another_incarnation_of_the_store_writes_nothing() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        Ownership held = reader.ownership();
        Ownership earlier = new Ownership(held.subscription(), held.lane(), held.epoch(), "an earlier one");
        reader.next(1);
        assertThat(written(new Settlement(
                        earlier,
                        reader.claimed().settlement() + 1,
                        reader.cursor(),
                        new Counts(1, 0, 0, 0, 0, 0),
                        List.of(),
                        List.of())))
                .isFalse();
        Claim.ClaimedLane next = nextOwner();
        assertThat(next.cursor()).isEqualTo(reader.claimed().cursor());
        assertThat(next.counts()).isEqualTo(Counts.NONE);
    }

    /**
     * Its row was made by a replay after its owner had looked; the owner counts it as dead, because rows are refused.
     */
    @Test
    void a_lost_event_that_has_a_row_already_is_counted_once_also_where_it_is_buried() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        Delivery row = Delivery.task(event, someTime()).waiting(0, someTime(), null);
        assertThat(reader.park(List.of(row))).isTrue();
        Counts buried = new Counts(-1, 0, 0, 1, 0, 0);
        assertThat(reader.settle(buried, List.of(row.dead(0, "refused")), List.of(), List.of(1L)))
                .isTrue();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 1, 0, 0, 0));
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.WAITING, Position.ZERO, 10))
                .hasSize(1);
    }

    @Test
    void a_settle_concerns_one_lane_of_one_subscription() {
        committed("ann", "a");
        LaneReader other = reader("others", Start.beginning(), "ann");
        LaneReader reader = reader("ann");
        reader.next(1);
        assertThat(reader.settle(1)).isTrue();
        store.renew().leave(NODE);
        assertThat(of("ann", readers(OTHER_NODE, "others")).claimed().cursor())
                .isEqualTo(other.claimed().cursor());
        assertThat(readers(OTHER_NODE, SUBSCRIPTION))
                .filteredOn(lane -> lane.claimed().counts().delivered() > 0)
                .extracting(LaneReader::lane)
                .containsExactly(reader.lane());
    }

    private void assertThatNothingIsWrittenBy(LaneReader lost, LaneReader owner) {
        Cursor kept = owner.cursor();
        Counts counts = owner.counts();
        List<StoredEvent> events = lost.drain(LaneReader.MANY);
        assertThat(events).isNotEmpty();
        assertThat(lost.park(events.stream().map(StoreCase::parked).toList())).isFalse();
        List<Position> positions = events.stream().map(StoredEvent::position).toList();
        assertThat(lost.settle(new Counts(9, 0, 0, 0, 0, 0), List.of(), positions))
                .isFalse();
        assertThat(rowsOf(owner, Park.Wanted.WAITING_AND_DEAD)).isEmpty();
        store.renew().leave(NODE);
        store.renew().leave(OTHER_NODE);
        Claim.ClaimedLane next = of("ann", readers("node-3", SUBSCRIPTION)).claimed();
        assertThat(next.cursor()).isEqualTo(kept);
        assertThat(next.counts()).isEqualTo(counts);
        assertThat(next.deliveries()).isEmpty();
    }

    /** A store that finds out by other means than the epoch may say so by a failure. */
    private boolean written(Settlement settlement) {
        try {
            return store.settle().settle(settlement);
        } catch (StoreException e) {
            return false;
        }
    }

    private Claim.ClaimedLane nextOwner() {
        store.renew().leave(NODE);
        return of("ann", readers(OTHER_NODE, SUBSCRIPTION)).claimed();
    }
}
