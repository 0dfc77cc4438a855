package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.store.Claim;
import io.postrider.store.ConflictException;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import io.postrider.store.Store.Limitation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Settle in the transaction of the effects: cursor and effects are committed together, or neither is. */
@RefusedWith({Limitation.NO_TRANSACTIONS, Limitation.NO_SAVEPOINTS})
public abstract class SettleWithinSuite<T> extends StoreCase<T> {

    @Override
    void assertRefused(Limitation limitation) {
        T transaction = fixture.begin();
        assertUnsupported(() -> store.settleWithin().mark(transaction));
        assertUnsupported(() -> store.settleWithin().undo(transaction));
        fixture.rollback(transaction);
    }

    @Test
    void the_settlement_commits_with_the_effects() throws Exception {
        committed("ann", "a", "b");
        LaneReader reader = reader("ann");
        assertThat(reader.next(2)).hasSize(2);
        assertThat(settled(reader, List.of("a", "b"))).isTrue();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b");
        Claim.ClaimedLane next = of("ann", readers(NODE, SUBSCRIPTION)).claimed();
        assertThat(next.cursor()).isEqualTo(reader.cursor());
        assertThat(next.counts()).isEqualTo(new Counts(2, 0, 0, 0, 0, 0));
    }

    @Test
    void what_waited_in_vain_for_a_record_is_undone_to_the_mark_and_the_transaction_goes_on() throws Exception {
        EventId event = drawId();
        T holder = fixture.begin();
        assertThat(store.processed().first(holder, event, SUBSCRIPTION)).isTrue();
        T transaction = fixture.begin();
        fixture.effect(transaction, "before");
        store.settleWithin().mark(transaction);
        assertThat(CompletableFuture.supplyAsync(() -> store.processed().first(transaction, event, SUBSCRIPTION)))
                .failsWithin(fixture.patience())
                .withThrowableThat()
                .withCauseInstanceOf(ConflictException.class);
        store.settleWithin().undo(transaction);
        fixture.effect(transaction, "after");
        fixture.commit(transaction);
        fixture.rollback(holder);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("before", "after");
    }

    @Test
    void rows_are_written_with_it() throws Exception {
        committed("ann", "a", "b");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.next(2);
        Delivery row = parked(events.get(1));
        T transaction = fixture.begin();
        fixture.effect(transaction, "a");
        Settlement settlement = new Settlement(
                reader.ownership(),
                reader.claimed().settlement() + 1,
                reader.cursor(),
                new Counts(1, 0, 1, 0, 0, 0),
                List.of(row),
                List.of());
        assertThat(store.settleWithin().settle(transaction, settlement)).isTrue();
        assertThat(rowsOf(reader, Park.Wanted.WAITING_AND_DEAD)).containsExactly(row);
    }

    @Test
    void a_lane_that_was_lost_undoes_the_effects() throws Exception {
        committed("ann", "a");
        LaneReader zombie = reader("ann");
        zombie.next(1);
        LaneReader owner = of("ann", readers(NODE, SUBSCRIPTION));
        assertThat(settled(zombie, List.of("never"))).isFalse();
        assertThat(owner.next(1)).hasSize(1);
        assertThat(settled(owner, List.of("once"))).isTrue();
        assertThat(fixture.effects()).containsExactly("once");
    }

    @Test
    void an_open_transaction_does_not_keep_a_lane_from_being_taken_over() throws Exception {
        committed("ann", "a");
        LaneReader paused = reader("ann");
        paused.next(1);
        T transaction = fixture.begin();
        store.settleWithin().mark(transaction);
        fixture.effect(transaction, "never");
        renew(NODE, SHORT_LEASE);
        LaneReader next = takeOver(OTHER_NODE, LONG_LEASE, "ann");
        next.next(1);
        assertThat(settled(next, List.of("once"))).isTrue();
        assertThat(store.settleWithin().settle(transaction, settlement(paused))).isFalse();
        fixture.rollback(transaction);
        assertThat(fixture.effects()).containsExactly("once");
    }

    @Test
    void what_was_done_since_the_mark_can_be_undone_alone() throws Exception {
        committed("ann", "a", "b", "c");
        LaneReader reader = reader("ann");
        reader.next(3);
        T transaction = fixture.begin();
        for (String name : List.of("a", "b", "c")) {
            store.settleWithin().mark(transaction);
            fixture.effect(transaction, name);
            append(transaction, "bob", "because of " + name);
            if (name.equals("b")) {
                store.settleWithin().undo(transaction);
            }
        }
        assertThat(store.settleWithin().settle(transaction, settlement(reader))).isTrue();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "c");
        assertThat(of("bob", readers(NODE, SUBSCRIPTION)).drain()).containsExactly("because of a", "because of c");
    }

    /** Does this in a transaction and settles what was read in it; rolled back if the lane was lost. */
    private boolean settled(LaneReader reader, List<String> effects) throws Exception {
        T transaction = fixture.begin();
        for (String effect : effects) {
            store.settleWithin().mark(transaction);
            fixture.effect(transaction, effect);
        }
        boolean settled = store.settleWithin().settle(transaction, settlement(reader, effects.size()));
        if (!settled) {
            fixture.rollback(transaction);
        }
        return settled;
    }

    private static Settlement settlement(LaneReader reader) {
        return settlement(reader, 1);
    }

    private static Settlement settlement(LaneReader reader, int delivered) {
        return new Settlement(
                reader.ownership(),
                reader.claimed().settlement() + 1,
                reader.cursor(),
                reader.counts().plus(new Counts(delivered, 0, 0, 0, 0, 0)),
                List.of(),
                List.of());
    }
}
