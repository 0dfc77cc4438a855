package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.StoredEvent;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.operate.Ledger;
import io.postrider.operate.Operate;
import io.postrider.operate.Operation;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Renew;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Dead events that are kept apart: moved whole, the same to whoever looks or decides, with what became of them. */
public abstract class DeadEventsSuite<T> extends EngineCase<T> {
    private static final Retention MOVED = Retention.DEFAULT.deadLetters(DeadLetters.MOVED);
    private static final By ANN = new By("ann", "the address was wrong");

    @Test
    void a_dead_event_is_moved_whole_and_the_same_to_whoever_looks() {
        Dead dead = bury();
        List<Delivery> before = rows(Delivery.Status.DEAD);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(1);
        assertThat(list(DeadEvent.Status.PENDING)).singleElement().satisfies(moved -> {
            assertThat(moved.subscription()).isEqualTo(SUBSCRIPTION);
            assertThat(moved.event()).isEqualTo(dead.event);
            assertThat(moved.attempts()).isEqualTo(1);
            assertThat(moved.error()).isEqualTo("broken");
            assertThat(moved.replayedAt()).isNull();
            assertThat(moved.replayedBy()).isNull();
            assertThat(moved.notes()).isNull();
        });
        assertThat(rows(Delivery.Status.DEAD))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("dueAt")
                .isEqualTo(before);
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.DEAD, dead.event.position(), 10))
                .isEmpty();
        assertThat(rowsOf(dead.reader, Park.Wanted.WAITING_AND_DEAD)).isEmpty();
        assertLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
    }

    @Test
    void only_what_is_dead_is_moved_and_only_once() {
        Dead dead = bury();
        committed("ann", "waits");
        StoredEvent waiting = dead.reader.drain(1).get(0);
        assertThat(dead.reader.park(List.of(parked(waiting)))).isTrue();
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(1);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isZero();
        assertThat(rows(Delivery.Status.WAITING)).hasSize(1);
        assertLedger(new Counts(0, 0, 1, 1, 0, 0), 0);
    }

    @Test
    void those_in_place_and_those_moved_are_listed_together_by_position() {
        Dead dead = bury();
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(1);
        committed("ann", "b", "c");
        List<StoredEvent> more = dead.reader.drain(2);
        assertThat(dead.reader.bury(more.stream().map(StoreCase::dead).toList()))
                .isTrue();
        assertThat(rows(Delivery.Status.DEAD))
                .extracting(Delivery::position)
                .containsExactly(
                        dead.event.position(),
                        more.get(0).position(),
                        more.get(1).position());
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.DEAD, Position.ZERO, 2))
                .extracting(Delivery::position)
                .containsExactly(dead.event.position(), more.get(0).position());
    }

    @Test
    void a_replay_puts_a_moved_event_back_and_keeps_the_record() {
        Dead dead = moved();
        long requests = requests(dead.reader);
        assertThat(store.operate().replay(SUBSCRIPTION, dead.event.position(), ANN))
                .isEqualTo(Operate.Answer.DONE);
        assertThat(requests(dead.reader)).isNotEqualTo(requests);
        assertLedger(new Counts(0, 0, 1, 0, 0, 0), 0);
        assertThat(rows(Delivery.Status.DEAD)).isEmpty();
        assertThat(list(DeadEvent.Status.PENDING)).isEmpty();
        assertThat(list(DeadEvent.Status.REPLAYED)).singleElement().satisfies(replayed -> {
            assertThat(replayed.replayedAt()).isNotNull();
            assertThat(replayed.replayedBy()).isEqualTo("ann");
            assertThat(replayed.notes()).isEqualTo("the address was wrong");
        });
        assertThat(store.claim().claim(dead.reader.ownership(), List.of(dead.event.position())))
                .singleElement()
                .satisfies(claimed -> {
                    assertThat(claimed.event()).isEqualTo(dead.event);
                    assertThat(claimed.delivery().attempt()).isEqualTo(1);
                });
    }

    @Test
    void a_discard_lets_a_moved_event_go_and_keeps_the_record() {
        Dead dead = moved();
        assertThat(store.operate().discard(SUBSCRIPTION, dead.event.position(), ANN))
                .isEqualTo(Operate.Answer.DONE);
        assertLedger(new Counts(0, 0, 0, 0, 0, 1), 0);
        assertThat(rows(Delivery.Status.DEAD)).isEmpty();
        assertThat(list(DeadEvent.Status.DISCARDED)).singleElement().satisfies(discarded -> {
            assertThat(discarded.event()).isEqualTo(dead.event);
            assertThat(discarded.replayedAt()).isNull();
            assertThat(discarded.replayedBy()).isNull();
            assertThat(discarded.notes()).isEqualTo("ann: the address was wrong");
        });
    }

    @Test
    void whoever_decides_needs_not_know_where_a_dead_event_is() {
        Dead first = moved();
        assertThat(store.operate().replay(SUBSCRIPTION, first.event.position(), ANN))
                .isEqualTo(Operate.Answer.DONE);
        assertThat(store.operate().replay(SUBSCRIPTION, first.event.position(), ANN))
                .isEqualTo(Operate.Answer.NOT_DEAD);
        assertLedger(new Counts(0, 0, 1, 0, 0, 0), 0);
        assertThat(first.reader.settle(new Counts(0, 0, -1, 1, 0, 0), List.of(dead(first.event)), List.of()))
                .isTrue();
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(1);
        assertThat(list(DeadEvent.Status.REPLAYED)).hasSize(1);
        assertThat(list(DeadEvent.Status.PENDING)).hasSize(1);
        assertThat(store.operate().discard(SUBSCRIPTION, first.event.position(), ANN))
                .isEqualTo(Operate.Answer.DONE);
        assertThat(store.operate().discard(SUBSCRIPTION, first.event.position(), ANN))
                .isEqualTo(Operate.Answer.NO_EVENT);
        assertThat(store.operate().discard("unknown", first.event.position(), ANN))
                .isEqualTo(Operate.Answer.NO_SUBSCRIPTION);
        assertLedger(new Counts(0, 0, 0, 0, 0, 1), 0);
    }

    @Test
    void an_operation_about_many_events_finds_moved_ones_and_keeps_them_in_place_until_it_has_ended() {
        Dead dead = moved();
        Operation.Target target = Operation.Target.dead(SUBSCRIPTION);
        assertThat(store.operations().preview(target, 10).count()).isEqualTo(1);
        Operation started = store.operations()
                .start(Operation.Kind.REPLAY, target, Operation.Pace.UNLIMITED, ANN)
                .orElseThrow();
        assertThat(started.progress().total()).isEqualTo(1);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isZero();
        assertThat(store.operations().cancel(started.id(), ANN)).isEqualTo(Operate.Answer.DONE);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(1);
        assertThat(list(DeadEvent.Status.PENDING))
                .singleElement()
                .satisfies(moved -> assertThat(moved.event()).isEqualTo(dead.event));
        assertLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
    }

    @Test
    void moved_events_of_a_key_are_skipped_with_it() {
        Dead dead = moved();
        assertThat(store.operate().skipKey(SUBSCRIPTION, "ann", ANN)).isEqualTo(Operate.Answer.DONE);
        assertThat(list(DeadEvent.Status.PENDING)).isEmpty();
        assertThat(rows(Delivery.Status.DEAD)).isEmpty();
        assertLedger(new Counts(0, 0, 0, 0, 0, 1), 0);
        assertThat(store.operate().skipKey(SUBSCRIPTION, "ann", ANN)).isEqualTo(Operate.Answer.NOTHING);
        assertThat(store.operate().replay(SUBSCRIPTION, dead.event.position(), ANN))
                .isEqualTo(Operate.Answer.DISCARDED);
    }

    @Test
    void a_moved_event_is_let_go_after_its_time_on_record() {
        Dead dead = moved();
        Retention retention = MOVED.dead(Duration.ofHours(1));
        assertThat(store.retain().sweep(SUBSCRIPTION, retention).drops()).isEmpty();
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED.dead(Duration.ZERO)).drops())
                .singleElement()
                .satisfies(drop -> {
                    assertThat(drop.reason()).isEqualTo(Drop.Reason.DEAD);
                    assertThat(drop.from()).isEqualTo(dead.event.position());
                    assertThat(drop.oldest()).isEqualTo(dead.event.appendedAt());
                });
        assertThat(list(DeadEvent.Status.PENDING)).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 1), 0));
    }

    @Test
    void one_that_was_decided_about_is_not_counted_again_when_it_goes() {
        Dead dead = moved();
        assertThat(store.operate().discard(SUBSCRIPTION, dead.event.position(), ANN))
                .isEqualTo(Operate.Answer.DONE);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED.dead(Duration.ZERO)).drops())
                .isEmpty();
        assertThat(list(DeadEvent.Status.DISCARDED)).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 1), 0));
    }

    @Test
    void a_dead_row_whose_event_is_gone_is_moved_with_the_others_and_never_dispatched() {
        Dead gone = buryGone();
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(2);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isZero();
        assertThat(list(DeadEvent.Status.PENDING)).hasSize(2).first().satisfies(moved -> {
            assertThat(moved.event().id()).isEqualTo(gone.event.id());
            assertThat(moved.event().type()).isEqualTo(TYPE);
            assertThat(moved.event().key()).isEqualTo("ann");
            assertThat(moved.error()).isEqualTo(Claim.ClaimedDelivery.GONE);
        });
        assertThat(rows(Delivery.Status.DEAD)).hasSize(2);
        assertThat(store.operate().replay(SUBSCRIPTION, gone.event.position(), ANN))
                .isEqualTo(Operate.Answer.DONE);
        assertThat(store.claim().claim(gone.reader.ownership(), List.of(gone.event.position())))
                .singleElement()
                .satisfies(claimed -> assertThat(claimed.defect()).isEqualTo(Claim.ClaimedDelivery.GONE));
        assertLedger(new Counts(0, 0, 1, 1, 0, 0), 0);
    }

    @Test
    void a_moved_row_whose_event_is_gone_goes_back_as_it_was_and_is_let_go_on_record() {
        Dead gone = buryGone();
        List<Delivery> before = rows(Delivery.Status.DEAD);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(2);
        Operation started = store.operations()
                .start(Operation.Kind.REPLAY, Operation.Target.dead(SUBSCRIPTION), Operation.Pace.UNLIMITED, ANN)
                .orElseThrow();
        assertThat(started.progress().total()).isEqualTo(2);
        assertThat(rows(Delivery.Status.DEAD))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("dueAt")
                .isEqualTo(before);
        assertThat(store.operations().cancel(started.id(), ANN)).isEqualTo(Operate.Answer.DONE);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(2);
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED.dead(Duration.ZERO)).drops())
                .singleElement()
                .satisfies(drop -> {
                    assertThat(drop.events()).isEqualTo(2);
                    assertThat(drop.from()).isEqualTo(gone.event.position());
                });
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 2), 0));
    }

    @Test
    void a_subscription_takes_its_dead_events_with_it() {
        moved();
        assertThat(remove(SUBSCRIPTION)).isTrue();
        register();
        assertThat(list(DeadEvent.Status.PENDING)).isEmpty();
        assertThat(rows(Delivery.Status.DEAD)).isEmpty();
    }

    @Test
    void a_node_moves_what_dies_and_delivers_what_is_replayed() {
        Postrider<T> node = node(quick().pruneEvery(Duration.ofMillis(20)));
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters).retry(QUICK.attempts(2)).retention(MOVED).start();
        assertMovedAndReplayed(node, letters);
    }

    @Test
    void a_task_that_died_is_moved_and_replayed_too() {
        Postrider<T> node = node(quick().pruneEvery(Duration.ofMillis(20)));
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters)
                .retry(QUICK.attempts(2))
                .queue(Queue.DEFAULT)
                .retention(MOVED)
                .start();
        assertMovedAndReplayed(node, letters);
    }

    private void assertMovedAndReplayed(Postrider<T> node, Letters letters) {
        send(node, "ann", "a1", "a2");
        eventually().holds(() -> assertThat(list(DeadEvent.Status.PENDING)).hasSize(1));
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        letters.heal();
        assertThat(store.operate().replay(SUBSCRIPTION, awaitDead().position(), ANN))
                .isEqualTo(Operate.Answer.DONE);
        assertAllDelivered(2);
        assertThat(letters.attempts("a1")).containsExactly(1, 2, 1);
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    private record Dead(LaneReader reader, StoredEvent event) {}

    private Dead moved() {
        Dead dead = bury();
        assertThat(store.retain().sweep(SUBSCRIPTION, MOVED).moved()).isEqualTo(1);
        return dead;
    }

    private Dead bury() {
        T transaction = fixture.begin();
        store.append()
                .append(
                        transaction,
                        List.of(new Append.Entry(
                                drawId(), TYPE, "ann", "{\"n\": 1}", Headers.NONE.with("trace", "1"), "tenant-7")));
        fixture.commit(transaction);
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        return new Dead(reader, event);
    }

    /** A row whose event was gone when it died, and another one behind it. */
    private Dead buryGone() {
        committed("ann", "gone", "there");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(2);
        fixture.lose(events.get(0).id());
        Delivery gone = parked(events.get(0)).dead(1, Claim.ClaimedDelivery.GONE);
        assertThat(reader.bury(List.of(gone, dead(events.get(1))))).isTrue();
        return new Dead(reader, events.get(0));
    }

    private List<DeadEvent> list(DeadEvent.Status status) {
        return store.deadEvents().list(SUBSCRIPTION, status, Position.ZERO, 100);
    }

    private long requests(LaneReader reader) {
        return store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION)).held().stream()
                .filter(held -> held.ownership().equals(reader.ownership()))
                .mapToLong(Renew.HeldLane::requests)
                .findFirst()
                .orElseThrow(() -> new AssertionError(reader.ownership() + " is not held"));
    }
}
