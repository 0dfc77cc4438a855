package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.ConflictException;
import io.postrider.store.FilterText;
import io.postrider.store.Processed;
import io.postrider.store.Store.Limitation;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Processed: a record commits with the effect it stands for, and is there as long as the event may come again. */
@RefusedWith(Limitation.NO_TRANSACTIONS)
public abstract class ProcessedSuite<T> extends StoreCase<T> {
    private static final String OTHER_HANDLER = "others";

    private final EventId event = drawId();

    @Override
    void assertRefused(Limitation limitation) {
        T transaction = fixture.begin();
        assertUnsupported(() -> store.processed().first(transaction, drawId(), SUBSCRIPTION));
        assertUnsupported(() -> store.processed().record(transaction, drawId(), SUBSCRIPTION));
        fixture.rollback(transaction);
    }

    @Test
    void an_event_is_first_once() {
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
        assertThat(processed(event, SUBSCRIPTION)).isFalse();
        assertThat(fixture.effects()).containsExactly("effect");
    }

    @Test
    void each_handler_and_each_event_has_its_own_record() {
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
        assertThat(processed(event, OTHER_HANDLER)).isTrue();
        assertThat(processed(drawId(), SUBSCRIPTION)).isTrue();
    }

    @Test
    void a_subscription_records_nothing_once_it_settles_with_its_effects() {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER);
        assertThat(recorded(event)).isEqualTo(Processed.Recorded.FIRST);
        assertThat(recorded(event)).isEqualTo(Processed.Recorded.REPEATED);
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER + " " + FilterText.WITH_EFFECT);
        EventId later = drawId();
        assertThat(recorded(later)).isEqualTo(Processed.Recorded.OTHER_FORM);
        assertThat(processed(later, SUBSCRIPTION))
                .as("for those who look for earlier records")
                .isTrue();
    }

    @Test
    void what_the_subscription_of_a_consumer_would_be_does_not_matter() {
        assertThat(recorded(event)).isEqualTo(Processed.Recorded.FIRST);
    }

    private Processed.Recorded recorded(EventId id) {
        try {
            return store.transact().transact(transaction -> store.processed().record(transaction, id, SUBSCRIPTION));
        } catch (ConflictException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_record_is_rolled_back_with_its_effect() throws Exception {
        T undone = fixture.begin();
        assertThat(store.processed().first(undone, event, SUBSCRIPTION)).isTrue();
        fixture.effect(undone, "undone");
        fixture.rollback(undone);
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
        assertThat(fixture.effects()).containsExactly("effect");
    }

    @Test
    void within_one_transaction_too_an_event_is_first_once() {
        T transaction = fixture.begin();
        assertThat(store.processed().first(transaction, event, SUBSCRIPTION)).isTrue();
        assertThat(store.processed().first(transaction, event, SUBSCRIPTION)).isFalse();
        fixture.rollback(transaction);
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
    }

    @Test
    void who_comes_second_waits_a_moment_for_the_first_and_is_told_to_come_again() {
        T first = fixture.begin();
        assertThat(store.processed().first(first, event, SUBSCRIPTION)).isTrue();
        assertComesAgain(() -> processed(event, SUBSCRIPTION));
        assertComesAgain(() -> recorded(event));
        assertThat(processed(drawId(), SUBSCRIPTION)).isTrue();
        fixture.commit(first);
        assertThat(processed(event, SUBSCRIPTION)).isFalse();
        assertThat(fixture.effects()).hasSize(1);
    }

    /** Does not wait for the end of the other transaction, which this test alone could end. */
    private void assertComesAgain(Supplier<?> second) {
        assertThat(CompletableFuture.supplyAsync(second))
                .failsWithin(fixture.patience())
                .withThrowableThat()
                .withCauseInstanceOf(ConflictException.class);
    }

    @Test
    void who_comes_second_finds_the_record_once_the_first_has_committed() {
        T first = fixture.begin();
        assertThat(store.processed().first(first, event, SUBSCRIPTION)).isTrue();
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(this::processedInTheEnd);
        assertThat(second).isNotDone();
        fixture.commit(first);
        assertThat(second.join()).isFalse();
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void who_comes_second_is_first_if_the_other_rolls_back() {
        T first = fixture.begin();
        assertThat(store.processed().first(first, event, SUBSCRIPTION)).isTrue();
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(this::processedInTheEnd);
        fixture.rollback(first);
        assertThat(second.join()).isTrue();
    }

    /** Comes again as often as it is told to. */
    private boolean processedInTheEnd() {
        while (true) {
            try {
                return processed(event, SUBSCRIPTION);
            } catch (ConflictException e) {
                assertThat(e).hasMessageNotContaining("null");
            }
        }
    }

    // ---- forget -----------------------------------------------------------------------------------------------------

    @Test
    void what_is_old_is_forgotten_and_what_is_young_is_not() {
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
        assertThat(store.processed().forget(Duration.ofHours(1))).isFalse();
        assertThat(processed(event, SUBSCRIPTION)).isFalse();
        forgetAll();
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
    }

    @Test
    void what_is_pending_is_not_forgotten() {
        committed("ann", "a");
        List<LaneReader> readers = subscribe();
        LaneReader reader = of("ann", readers);
        StoredEvent pending = reader.peek(1).events().get(0);
        assertThat(processed(pending.id(), SUBSCRIPTION)).isTrue();
        store.processed().forget(Duration.ZERO);
        assertThat(processed(pending.id(), SUBSCRIPTION)).isFalse();
        settleAll(readers, pending.position().value());
        forgetAll();
        assertThat(processed(pending.id(), SUBSCRIPTION)).isTrue();
    }

    @Test
    void what_waits_in_a_row_is_not_forgotten() {
        committed("ann", "a");
        List<LaneReader> readers = subscribe();
        LaneReader reader = of("ann", readers);
        StoredEvent parked = reader.next(1).get(0);
        assertThat(reader.park(List.of(parked(parked)))).isTrue();
        assertThat(processed(parked.id(), SUBSCRIPTION)).isTrue();
        settleAll(readers, parked.position().value());
        store.processed().forget(Duration.ZERO);
        assertThat(processed(parked.id(), SUBSCRIPTION)).isFalse();
    }

    @Test
    void what_is_a_task_is_not_forgotten_whether_it_is_ready_or_runs() {
        committed("ann", "a");
        List<LaneReader> readers = subscribe();
        StoredEvent task = of("ann", readers).next(1).get(0);
        assertThat(of("ann", readers).park(List.of(Delivery.task(task, someTime()))))
                .isTrue();
        assertThat(processed(task.id(), SUBSCRIPTION)).isTrue();
        settleAll(readers, task.position().value());
        store.processed().forget(Duration.ZERO);
        assertThat(processed(task.id(), SUBSCRIPTION)).isFalse();
        Tasks.Claimant claimant = new Tasks.Claimant(NODE, SUBSCRIPTION, LONG_LEASE, Duration.ZERO, Tasks.Types.ALL);
        Claim.ClaimedDelivery claimed = store.tasks().claim(claimant, 1).get(0);
        store.processed().forget(Duration.ZERO);
        assertThat(processed(task.id(), SUBSCRIPTION)).isFalse();
        Tasks.HeldTask held = new Tasks.HeldTask(task.lane(), task.position(), claimed.claim());
        Tasks.Ended delivered = new Tasks.Ended(held, new Counts(1, 0, -1, 0, 0, 0), null);
        assertThat(store.tasks().settle(SUBSCRIPTION, List.of(delivered))).containsExactly(held);
        forgetAll();
        assertThat(processed(task.id(), SUBSCRIPTION)).isTrue();
    }

    @Test
    void the_records_of_a_subscription_go_with_it() {
        register();
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
        assertThat(processed(event, OTHER_HANDLER)).isTrue();
        assertThat(remove(SUBSCRIPTION)).isTrue();
        assertThat(processed(event, SUBSCRIPTION)).isTrue();
        assertThat(processed(event, OTHER_HANDLER)).isFalse();
    }

    /** As an engine does it: the effect only if the event is first. */
    private boolean processed(EventId id, String handler) {
        try {
            return store.transact().transact(transaction -> {
                boolean first = store.processed().first(transaction, id, handler);
                if (first) {
                    fixture.effect(transaction, "effect");
                }
                return first;
            });
        } catch (ConflictException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void forgetAll() {
        eventually()
                .holds(() -> assertThat(store.processed().forget(Duration.ZERO)).isTrue());
    }

    private List<LaneReader> subscribe() {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER);
        return readers(NODE, SUBSCRIPTION);
    }

    /** Reads and settles until nothing at or below this position is pending or can become so. */
    private void settleAll(List<LaneReader> readers, long position) {
        eventually().holds(() -> {
            for (LaneReader reader : readers) {
                reader.drain(LaneReader.MANY);
                assertThat(reader.settle(0)).isTrue();
            }
            assertThat(readers)
                    .allSatisfy(reader -> assertThat(reader.cursor().floor()).isGreaterThanOrEqualTo(position));
        });
    }
}
