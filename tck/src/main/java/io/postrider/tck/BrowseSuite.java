package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.operate.Search;
import io.postrider.policy.Start;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Browse: every event is somewhere, and the figures say where. */
public abstract class BrowseSuite<T> extends StoreCase<T> {

    @Test
    void the_ledger_accounts_for_every_event_at_every_step() {
        committed("ann", numbered("n", 6));
        committed(keyApartFrom("ann"), "elsewhere");
        LaneReader reader = reader("ann");
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(Counts.NONE, 7));
        List<StoredEvent> events = reader.next(4);
        assertThat(store.browse().ledger(SUBSCRIPTION).pending()).isEqualTo(7);
        Counts counts = new Counts(1, 1, 1, 1, 0, 0);
        assertThat(reader.settle(counts, List.of(parked(events.get(2)), dead(events.get(3))), List.of()))
                .isTrue();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(counts, 3));
        assertThat(store.browse().ledger(SUBSCRIPTION).appended()).isEqualTo(7);
        committed("ann", "n7");
        assertThat(store.browse().ledger(SUBSCRIPTION).appended()).isEqualTo(8);
    }

    @Test
    void what_is_not_committed_is_not_in_the_ledger() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", numbered("late-", 3));
        committed("ann", "early");
        assertThat(store.browse().ledger(SUBSCRIPTION).pending()).isEqualTo(1);
        assertThat(reader.drain()).containsExactly("early");
        assertThat(reader.settle(1)).isTrue();
        assertThat(store.browse().ledger(SUBSCRIPTION).pending()).isZero();
        fixture.commit(slow);
        assertThat(store.browse().ledger(SUBSCRIPTION).pending()).isEqualTo(3);
    }

    @Test
    void transactions_that_append_are_named_until_they_end() {
        assertThat(store.browse().openAppends(10)).isEmpty();
        T first = fixture.begin();
        append(first, "ann", "one");
        T second = fixture.begin();
        append(second, "ann", "two");
        List<Browse.OpenAppend> open = store.browse().openAppends(10);
        assertThat(open).hasSize(2).doesNotHaveDuplicates();
        assertThat(store.browse().openAppends(1)).containsExactly(open.get(0));
        fixture.commit(first);
        assertThat(store.browse().openAppends(10)).containsExactly(open.get(1));
        fixture.rollback(second);
        assertThat(store.browse().openAppends(10)).isEmpty();
    }

    @Test
    void the_oldest_append_that_is_open_has_an_age_that_grows_until_it_ends() {
        assertThat(store.browse().openAppendAge()).isEmpty();
        T open = fixture.begin();
        append(open, "ann", "one");
        Duration first = store.browse().openAppendAge().orElseThrow();
        assertThat(first).isBetween(Duration.ZERO, fixture.patience());
        assertThat(store.browse().openAppendAge().orElseThrow()).isGreaterThanOrEqualTo(first);
        eventually()
                .holds(() ->
                        assertThat(store.browse().openAppendAge().orElseThrow()).isGreaterThan(first));
        fixture.rollback(open);
        assertThat(store.browse().openAppendAge()).isEmpty();
    }

    @Test
    void the_ledger_is_exact_in_the_middle_of_a_late_set() {
        LaneReader reader = reader("ann");
        T slower = fixture.begin();
        append(slower, "ann", "slower");
        T slow = fixture.begin();
        append(slow, "ann", numbered("late-", 10));
        committed("ann", "early");
        reader.drain();
        fixture.commit(slow);
        assertThat(reader.next(4)).hasSize(4);
        assertThat(reader.settle(5)).isTrue();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(5, 0, 0, 0, 0, 0), 6));
        fixture.commit(slower);
        committed("ann", "fresh");
        assertThat(store.browse().ledger(SUBSCRIPTION).pending()).isEqualTo(8);
    }

    @Test
    void the_ledger_begins_where_its_subscription_begins() {
        committed("ann", "before");
        LaneReader reader = reader(SUBSCRIPTION, Start.end(), "ann");
        committed("ann", "after");
        assertThat(store.browse().ledger(SUBSCRIPTION).appended()).isEqualTo(1);
        assertThat(reader.drain()).containsExactly("after");
    }

    @Test
    void the_ledger_of_a_subscription_adds_up_its_lanes() {
        String other = keyApartFrom("ann");
        committed("ann", "a");
        committed(other, "b", "c");
        register();
        List<LaneReader> readers = readers(NODE, SUBSCRIPTION);
        of("ann", readers).drain();
        of(other, readers).drain();
        assertThat(of("ann", readers).settle(1)).isTrue();
        assertThat(of(other, readers).settle(2)).isTrue();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(3, 0, 0, 0, 0, 0), 0));
        assertThat(store.browse().progress(SUBSCRIPTION).counts()).isEqualTo(new Counts(3, 0, 0, 0, 0, 0));
    }

    @Test
    void progress_tells_how_much_is_pending_and_since_when() {
        committed("ann", "a", "b", "c");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.peek(LaneReader.MANY).events();
        Browse.Progress before = store.browse().progress(SUBSCRIPTION);
        assertThat(before.pendingEstimate()).isPositive();
        assertThat(before.oldestPending()).isEqualTo(events.get(0).appendedAt());
        reader.next(2);
        assertThat(reader.settle(2)).isTrue();
        Browse.Progress between = store.browse().progress(SUBSCRIPTION);
        assertThat(between.counts()).isEqualTo(new Counts(2, 0, 0, 0, 0, 0));
        assertThat(between.oldestPending()).isEqualTo(events.get(2).appendedAt());
        reader.drain();
        assertThat(reader.settle(1)).isTrue();
        Browse.Progress after = store.browse().progress(SUBSCRIPTION);
        assertThat(after.pendingEstimate()).isZero();
        assertThat(after.oldestPending()).isNull();
    }

    @Test
    void deliveries_are_listed_by_status_and_position_in_pages() {
        committed("ann", numbered("n", 6));
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(events).hasSize(6);
        assertThat(reader.bury(
                        events.subList(0, 4).stream().map(StoreCase::dead).toList()))
                .isTrue();
        assertThat(reader.park(List.of(parked(events.get(4))))).isTrue();
        List<Delivery> first = store.browse().deliveries(SUBSCRIPTION, Delivery.Status.DEAD, Position.ZERO, 3);
        assertThat(first).extracting(Delivery::id).containsExactly(ids(events.subList(0, 3)));
        assertThat(first).allSatisfy(row -> assertThat(row.error()).isEqualTo("broken"));
        assertThat(store.browse()
                        .deliveries(
                                SUBSCRIPTION, Delivery.Status.DEAD, first.get(2).position(), 3))
                .extracting(Delivery::id)
                .containsExactly(ids(events.subList(3, 4)));
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.WAITING, Position.ZERO, 3))
                .extracting(Delivery::id)
                .containsExactly(ids(events.subList(4, 5)));
    }

    @Test
    void a_misspelt_subscription_is_an_error_that_names_those_there_are() {
        assertUnknown(() -> store.browse().ledger("lettres"), "none is registered yet");
        register();
        store.subscriptions().register("parcels", Start.beginning(), FILTER);
        String known = "those registered are 'letters', 'parcels'";
        assertUnknown(() -> store.browse().ledger("lettres"), known);
        assertUnknown(() -> store.browse().progress("lettres"), known);
        assertUnknown(() -> store.browse().deliveries("lettres", Delivery.Status.DEAD, Position.ZERO, 1), known);
        assertUnknown(() -> store.deadEvents().list("lettres", DeadEvent.Status.PENDING, Position.ZERO, 1), known);
        for (Search.State state : Search.State.values()) {
            assertUnknown(() -> store.search().deliveries("lettres", state, EventFilter.ALL, null, 1), known);
        }
    }

    private static void assertUnknown(ThrowingCallable call, String known) {
        assertThatIllegalArgumentException()
                .isThrownBy(call)
                .withMessage("there is no subscription 'lettres'; " + known);
    }

    private static EventId[] ids(List<StoredEvent> events) {
        return events.stream().map(StoredEvent::id).toArray(EventId[]::new);
    }
}
