package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Park: rows for what did not settle at once, claimed one by one by the lane's owner. */
public abstract class ParkSuite<T> extends StoreCase<T> {

    @Test
    void a_parked_row_is_kept_as_it_was_settled() {
        Parked parked = park("a");
        Instant due = someTime().plus(Duration.ofMinutes(5));
        Delivery row = Delivery.parked(parked.event, due, true).waiting(3, due, "the reason: grüße ✓");
        assertThat(parked.reader.settle(Counts.NONE, List.of(row), List.of())).isTrue();
        assertThat(rowsOf(parked.reader, Park.Wanted.WAITING_AND_DEAD)).containsExactly(row);
        store.renew().leave(NODE);
        assertThat(of("ann", readers(OTHER_NODE, SUBSCRIPTION)).claimed().deliveries())
                .containsExactly(row);
    }

    @Test
    void a_claimed_row_runs_with_its_attempt_counted_and_brings_its_event() {
        Parked parked = park("a");
        List<Claim.ClaimedDelivery> claimed = parked.claim();
        assertThat(claimed).hasSize(1);
        assertThat(claimed.get(0).event()).isEqualTo(parked.event);
        assertThat(claimed.get(0).delivery().status()).isEqualTo(Delivery.Status.RUNNING);
        assertThat(claimed.get(0).delivery().attempt()).isEqualTo(1);
    }

    @Test
    void an_attempt_counts_although_the_owner_that_claimed_it_never_settled() {
        Parked parked = park("a");
        assertThat(parked.claim()).hasSize(1);
        store.renew().leave(NODE);
        LaneReader next = of("ann", readers(OTHER_NODE, SUBSCRIPTION));
        assertThat(next.claimed().deliveries()).singleElement().satisfies(row -> {
            assertThat(row.status()).isEqualTo(Delivery.Status.RUNNING);
            assertThat(row.attempt()).isEqualTo(1);
        });
        assertThat(store.claim().claim(next.ownership(), List.of(parked.event.position())))
                .singleElement()
                .satisfies(row -> assertThat(row.delivery().attempt()).isEqualTo(2));
    }

    @Test
    void rows_that_are_gone_are_left_out_of_a_claim() {
        committed("ann", "a", "b", "c");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(reader.park(events.stream().map(StoreCase::parked).toList())).isTrue();
        Position second = events.get(1).position();
        assertThat(reader.settle(new Counts(1, 0, -1, 0, 0, 0), List.of(), List.of(second)))
                .isTrue();
        List<Position> all = events.stream().map(StoredEvent::position).toList();
        assertThat(store.claim().claim(reader.ownership(), all))
                .extracting(row -> row.event().position())
                .containsExactlyInAnyOrder(all.get(0), all.get(2));
    }

    @Test
    void a_row_cannot_be_claimed_under_an_earlier_epoch() {
        Parked parked = park("a");
        LaneReader next = of("ann", readers(NODE, SUBSCRIPTION));
        assertThat(parked.claim()).isEmpty();
        assertThat(next.claimed().deliveries())
                .singleElement()
                .satisfies(row -> assertThat(row.attempt()).isZero());
        assertThat(store.claim().claim(next.ownership(), List.of(parked.event.position())))
                .singleElement()
                .satisfies(row -> assertThat(row.delivery().attempt()).isEqualTo(1));
    }

    @Test
    void a_dead_row_is_not_among_those_that_wait() {
        committed("ann", "a", "b");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(reader.bury(List.of(dead(events.get(0))))).isTrue();
        assertThat(reader.park(List.of(parked(events.get(1))))).isTrue();
        assertThat(rowsOf(reader, Park.Wanted.WAITING))
                .extracting(Delivery::position)
                .containsExactly(events.get(1).position());
        List<Position> all = events.stream().map(StoredEvent::position).toList();
        assertThat(store.claim().claim(reader.ownership(), all))
                .extracting(row -> row.event().position())
                .containsExactly(events.get(1).position());
    }

    @Test
    void rows_of_two_subscriptions_for_one_event_are_apart() {
        Parked parked = park("a");
        store.subscriptions().register("others", Start.beginning(), FILTER);
        LaneReader other = of("ann", readers(OTHER_NODE, "others"));
        StoredEvent same = other.drain(1).get(0);
        assertThat(other.bury(List.of(dead(same)))).isTrue();
        assertThat(parked.claim()).hasSize(1);
        assertThat(store.browse().deliveries("others", Delivery.Status.DEAD, Position.ZERO, 10))
                .hasSize(1);
    }

    private Parked park(String text) {
        committed("ann", text);
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(LaneReader.texts(events)).containsExactly(text);
        assertThat(reader.park(List.of(parked(events.get(0))))).isTrue();
        return new Parked(reader, events.get(0));
    }

    private final class Parked {
        final LaneReader reader;
        final StoredEvent event;

        Parked(LaneReader reader, StoredEvent event) {
            this.reader = reader;
            this.event = event;
        }

        List<Claim.ClaimedDelivery> claim() {
            return store.claim().claim(reader.ownership(), List.of(event.position()));
        }
    }
}
