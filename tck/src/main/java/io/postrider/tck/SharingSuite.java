package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.store.Claim;
import io.postrider.store.Store;
import io.postrider.store.Store.Limitation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who else sees what is stored: other nodes here, other processes, and the next one. What a store cannot, it says. */
public abstract class SharingSuite<T> extends StoreCase<T> {

    @Test
    void nodes_in_this_process_share_what_is_stored() {
        settleOneOfThree();
        store = fixture.another();
        assertThatTheRestFollows();
    }

    @Test
    void another_process_shares_what_is_stored_unless_the_store_says_that_it_cannot() {
        settleOneOfThree();
        boolean shared = !store.limitations().contains(Limitation.ONE_PROCESS);
        store = fixture.elsewhere();
        assertThatEverythingIsThereOrNothing(shared);
    }

    @Test
    void the_next_process_finds_what_was_stored_unless_the_store_says_that_it_cannot() {
        settleOneOfThree();
        boolean durable = !store.limitations().contains(Limitation.NOT_DURABLE);
        store = fixture.reopen();
        assertThatEverythingIsThereOrNothing(durable);
    }

    @Test
    void what_a_store_cannot_do_is_the_same_for_everyone() {
        settleOneOfThree();
        Store<T> other = fixture.another();
        assertThat(other.limitations()).isEqualTo(store.limitations());
        assertThat(other.browse().subscriptions())
                .isEqualTo(store.browse().subscriptions())
                .hasSize(1);
    }

    private void settleOneOfThree() {
        committed("ann", "a", "b", "c");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.next(2);
        assertThat(LaneReader.texts(events)).containsExactly("a", "b");
        assertThat(reader.settle(new Counts(1, 0, 1, 0, 0, 0), List.of(parked(events.get(1))), List.of()))
                .isTrue();
        store.renew().leave(NODE);
    }

    private void assertThatEverythingIsThereOrNothing(boolean everything) {
        if (everything) {
            assertThatTheRestFollows();
        } else {
            assertThat(store.browse().subscriptions()).isEmpty();
            assertThat(reader("ann").drain()).isEmpty();
        }
    }

    private void assertThatTheRestFollows() {
        assertThat(store.browse().subscriptions()).containsExactly(SUBSCRIPTION);
        LaneReader reader = of("ann", readers(OTHER_NODE, SUBSCRIPTION));
        assertThat(reader.drain()).containsExactly("c");
        Claim.ClaimedLane claimed = reader.claimed();
        assertThat(claimed.counts()).isEqualTo(new Counts(1, 0, 1, 0, 0, 0));
        assertThat(store.claim()
                        .claim(
                                reader.ownership(),
                                List.of(claimed.deliveries().get(0).position())))
                .singleElement()
                .satisfies(row -> assertThat(LaneReader.text(row.event())).isEqualTo("b"));
    }
}
