package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Audit;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.operate.Operate;
import io.postrider.operate.Operate.Answer;
import io.postrider.policy.Schedule;
import io.postrider.store.Append;
import io.postrider.store.Park;
import io.postrider.store.Renew;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Operate: what a person decides about a dead event, and how the lane's owner learns of it. */
public abstract class OperateSuite<T> extends StoreCase<T> {

    @Test
    void a_replayed_event_waits_again_from_its_first_attempt() {
        Dead dead = bury();
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(rowsOf(dead.reader, Park.Wanted.WAITING_AND_DEAD))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.status()).isEqualTo(Delivery.Status.WAITING);
                    assertThat(row.attempt()).isZero();
                    assertThat(row.dueAt()).isBeforeOrEqualTo(Instant.now().plusSeconds(60));
                });
        assertThat(store.claim().claim(dead.reader.ownership(), List.of(dead.position)))
                .singleElement()
                .satisfies(row -> assertThat(row.delivery().attempt()).isEqualTo(1));
    }

    @Test
    void a_replayed_event_is_due_by_the_clock_that_renewals_tell() {
        Dead dead = bury();
        Instant before =
                store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION)).at();
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        Instant after =
                store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION)).at();
        assertThat(rowsOf(dead.reader, Park.Wanted.WAITING_AND_DEAD))
                .singleElement()
                .satisfies(row -> assertThat(row.dueAt()).isBetween(before, after));
    }

    @Test
    void a_discarded_event_is_gone_and_runs_no_more() {
        Dead dead = bury();
        assertThat(store.operate().discard(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(rowsOf(dead.reader, Park.Wanted.WAITING_AND_DEAD)).isEmpty();
        assertThat(store.claim().claim(dead.reader.ownership(), List.of(dead.position)))
                .isEmpty();

        store.renew().leave(NODE);
        assertThat(of("ann", readers(OTHER_NODE, SUBSCRIPTION)).claimed().deliveries())
                .isEmpty();
    }

    @Test
    void a_decision_is_on_the_ledger_at_once() {
        Dead dead = bury();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 1, 0, 0), 0));
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 1, 0, 0, 0), 0));
        assertThat(store.browse().progress(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 1, 0, 0, 0));

        Delivery expired = parked(dead.event).expired(0);
        assertThat(dead.reader.settle(new Counts(0, 0, -1, 0, 1, 0), List.of(expired), List.of()))
                .isTrue();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 1, 0), 0));
        assertThat(store.operate().discard(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 1), 0));
    }

    @Test
    void an_expired_event_that_is_replayed_does_not_expire_again() {
        Dead dead = bury();
        Schedule past = Schedule.NONE.expiresAt(Instant.EPOCH);
        Delivery buried = dead(dead.event);
        Delivery expired = new Delivery(
                buried.position(),
                buried.id(),
                buried.type(),
                buried.key(),
                Delivery.Status.EXPIRED,
                0,
                buried.dueAt(),
                false,
                null,
                past);
        assertThat(store.operate().discard(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(dead.reader.settle(new Counts(0, 0, 0, 0, 1, 0), List.of(expired), List.of()))
                .isTrue();
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.EXPIRED, Position.ZERO, 10))
                .extracting(Delivery::schedule)
                .containsExactly(past);
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(store.claim().claim(dead.reader.ownership(), List.of(dead.position)))
                .extracting(row -> row.delivery().schedule())
                .containsExactly(Schedule.NONE);
    }

    @Test
    void each_decision_is_a_request_that_the_next_renewal_shows() {
        Dead dead = bury();
        long before = requests(dead.reader);
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        long between = requests(dead.reader);
        assertThat(between).isNotEqualTo(before);
        assertThat(dead.reader.bury(List.of(dead(dead.event)))).isTrue();
        assertThat(store.operate().discard(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(requests(dead.reader)).isNotIn(before, between);
    }

    @Test
    void a_decision_concerns_dead_events_only() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        Position position = event.position();
        assertThat(store.operate().replay(SUBSCRIPTION, position, BY)).isEqualTo(Answer.PENDING);
        assertThat(store.operate().discard(SUBSCRIPTION, position, BY)).isEqualTo(Answer.NO_EVENT);
        assertThat(reader.park(List.of(parked(event)))).isTrue();
        long before = requests(reader);
        assertThat(store.operate().replay(SUBSCRIPTION, position, BY)).isEqualTo(Answer.NOT_DEAD);
        assertThat(store.operate().discard(SUBSCRIPTION, position, BY)).isEqualTo(Answer.NOT_DEAD);
        assertThat(store.operate().discard("unknown", position, BY)).isEqualTo(Answer.NO_SUBSCRIPTION);
        assertThat(requests(reader)).isEqualTo(before);
        assertThat(rowsOf(reader, Park.Wanted.WAITING_AND_DEAD)).containsExactly(parkedAs(event, reader));
    }

    @Test
    void an_event_is_decided_about_once() {
        Dead dead = bury();
        assertThat(store.operate().discard(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(store.operate().discard(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.NO_EVENT);
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DISCARDED);
    }

    // ---- edit -------------------------------------------------------------------------------------------------------

    @Test
    void an_edited_event_is_a_new_one_that_names_the_old_which_is_discarded() {
        Headers headers = Headers.NONE
                .with(Headers.CORRELATION_ID, "order-7")
                .with(Headers.CAUSATION_ID, "cause-1")
                .with("colour", "red");
        Dead dead = bury(new Append.Entry(drawId(), TYPE, "ann", "\"a\"", headers, "acme"));
        Operate.Edit edit = Operate.Edit.of(drawId())
                .type("letter.mended")
                .payload("\"b\"")
                .headers(Headers.NONE.with("colour", "green"));
        assertThat(store.operate().edit(SUBSCRIPTION, dead.position, edit, BY)).isEqualTo(Answer.DONE);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 1), 1));
        assertThat(dead.reader.drain(1)).singleElement().satisfies(copy -> {
            assertThat(copy.id()).isEqualTo(edit.id());
            assertThat(copy.type()).isEqualTo("letter.mended");
            assertThat(copy.key()).isEqualTo("ann");
            assertThat(copy.tenant()).isEqualTo("acme");
            assertThat(copy.payload()).isEqualTo("\"b\"");
            assertThat(copy.headers().values())
                    .containsOnly(
                            Map.entry("colour", "green"),
                            Map.entry(Headers.CORRELATION_ID, "order-7"),
                            Map.entry(Headers.CAUSATION_ID, "cause-1"),
                            Map.entry(Headers.REPLAY_OF, dead.event.id().toString()),
                            Map.entry(Headers.ONLY_FOR, SUBSCRIPTION));
        });
    }

    @Test
    void an_edit_that_the_log_refuses_changes_nothing() {
        Dead dead = bury();
        Operate.Edit edit = Operate.Edit.of(drawId()).payload("{broken");
        assertThatThrownBy(() -> store.operate().edit(SUBSCRIPTION, dead.position, edit, BY))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 1, 0, 0), 0));
        assertThat(store.audit().entries(Audit.Query.ALL, Long.MAX_VALUE, 10)).isEmpty();
        assertThat(store.operate()
                        .edit(SUBSCRIPTION, dead.position, edit.payload("1").toAll(), BY))
                .isEqualTo(Answer.DONE);
        assertThat(dead.reader.drain(1).get(0).headers().values()).doesNotContainKey(Headers.ONLY_FOR);
        assertThat(store.operate().edit(SUBSCRIPTION, dead.position, edit, BY)).isEqualTo(Answer.NO_EVENT);
    }

    @Test
    void an_edit_under_an_id_that_is_taken_is_refused_and_changes_nothing() {
        EventId logged = drawId();
        EventId processed = drawId();
        Dead dead = bury();
        T transaction = fixture.begin();
        store.append().append(transaction, List.of(new Append.Entry(logged, TYPE, "ann", "1", Headers.NONE, null)));
        assertThat(store.processed().first(transaction, processed, SUBSCRIPTION))
                .isTrue();
        fixture.commit(transaction);
        for (EventId taken : List.of(dead.event.id(), logged, processed)) {
            assertThatThrownBy(() -> store.operate().edit(SUBSCRIPTION, dead.position, Operate.Edit.of(taken), BY))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(taken.toString())
                    .hasMessageContaining("UUID.randomUUID()");
        }
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 0, 1, 0, 0));
        assertThat(store.audit().entries(Audit.Query.ALL, Long.MAX_VALUE, 10)).isEmpty();
    }

    /** A look before the write would find nothing in both. Several rounds, because threads meet by chance. */
    @Test
    void of_two_edits_at_once_under_one_id_one_is_done_and_the_other_refused() {
        register();
        List<LaneReader> readers = readers(NODE, SUBSCRIPTION);
        ExecutorService editors = Executors.newFixedThreadPool(2);
        for (int round = 0; round < 10; round++) {
            Position first = buried(readers, "first-" + round);
            Position second = buried(readers, "second-" + round);
            Operate.Edit edit = Operate.Edit.of(drawId());
            CyclicBarrier together = new CyclicBarrier(2);
            List<CompletableFuture<String>> edits = Stream.of(first, second)
                    .map(position -> CompletableFuture.supplyAsync(() -> edited(together, position, edit), editors))
                    .toList();
            assertThat(edits).extracting(CompletableFuture::join).containsExactlyInAnyOrder("DONE", "taken");
        }
        editors.shutdown();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 0, 10, 0, 10));
    }

    private Position buried(List<LaneReader> readers, String key) {
        committed(key, "a");
        LaneReader reader = of(key, readers);
        StoredEvent event = reader.drain(100).stream()
                .filter(each -> key.equals(each.key()))
                .findFirst()
                .orElseThrow();
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        return event.position();
    }

    private String edited(CyclicBarrier together, Position position, Operate.Edit edit) {
        try {
            together.await();
            return store.operate().edit(SUBSCRIPTION, position, edit, BY).name();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        } catch (IllegalArgumentException e) {
            return Objects.equals(e.getMessage(), edit.taken().getMessage()) ? "taken" : e.toString();
        }
    }

    // ---- keys -------------------------------------------------------------------------------------------------------

    @Test
    void a_released_key_goes_on_although_its_event_stays_dead() {
        Dead dead = bury();
        long before = requests(dead.reader);
        assertThat(store.operate().releaseKey(SUBSCRIPTION, "ann", BY)).isEqualTo(Answer.DONE);
        assertThat(requests(dead.reader)).isNotEqualTo(before);
        assertThat(rowsOf(dead.reader, Park.Wanted.WAITING_AND_DEAD)).isEmpty();
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.DEAD, Position.ZERO, 10))
                .hasSize(1);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 1, 0, 0), 0));
        assertThat(store.operate().releaseKey(SUBSCRIPTION, "ann", BY)).isEqualTo(Answer.NOTHING);
        assertThat(store.operate().releaseKey("unknown", "ann", BY)).isEqualTo(Answer.NO_SUBSCRIPTION);

        assertThat(store.operate().replay(SUBSCRIPTION, dead.position, BY)).isEqualTo(Answer.DONE);
        assertThat(dead.reader.bury(List.of(dead(dead.event)))).isTrue();
        assertThat(rowsOf(dead.reader, Park.Wanted.WAITING_AND_DEAD))
                .as("one that is dead again blocks again")
                .hasSize(1);
    }

    @Test
    void a_skipped_key_has_no_dead_event_left() {
        String beside = keysBeside("ann", 2).get(1);
        committed("ann", "a1", "a2", "a3");
        committed(beside, "b1");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(10);
        assertThat(reader.bury(List.of(dead(events.get(0)), dead(events.get(3)))))
                .isTrue();
        assertThat(reader.park(List.of(parked(events.get(1))))).isTrue();
        assertThat(reader.settle(
                        new Counts(0, 0, 0, 0, 1, 0),
                        List.of(parked(events.get(2)).expired(0)),
                        List.of()))
                .isTrue();
        assertThat(store.operate().skipKey(SUBSCRIPTION, "ann", BY)).isEqualTo(Answer.DONE);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 1, 1, 0, 2), 0));
        assertThat(store.operate().skipKey(SUBSCRIPTION, "ann", BY)).isEqualTo(Answer.NOTHING);
        assertThat(store.operate().skipKey("unknown", "ann", BY)).isEqualTo(Answer.NO_SUBSCRIPTION);
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.DEAD, Position.ZERO, 10))
                .extracting(Delivery::key)
                .containsExactly(beside);
    }

    // ---- switches ---------------------------------------------------------------------------------------------------

    @Test
    void a_renewal_tells_what_is_paused_and_who_is_drained() {
        register();
        renew(NODE, LONG_LEASE);
        assertThat(store.operate().pause(SUBSCRIPTION, BY)).isEqualTo(Answer.DONE);
        assertThat(store.operate().pause(SUBSCRIPTION, BY)).isEqualTo(Answer.NOTHING);
        assertThat(store.operate().drain(NODE, BY)).isEqualTo(Answer.DONE);
        assertThat(store.operate().paused()).containsExactly(SUBSCRIPTION);
        assertThat(store.operate().nodes()).containsExactly(new Operate.Member(NODE, true, Set.of(SUBSCRIPTION), true));
        Renew.Renewal renewal = store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION));
        assertThat(renewal.asked().draining()).isTrue();
        assertThat(renewal.shared().get(SUBSCRIPTION)).isEqualTo(new Renew.Sharing(1, FILTER, true));
        assertThat(store.renew().renew(OTHER_NODE, LONG_LEASE, Set.of()).asked().draining())
                .isFalse();

        assertThat(store.operate().resume(SUBSCRIPTION, BY)).isEqualTo(Answer.DONE);
        assertThat(store.operate().undrain(NODE, BY)).isEqualTo(Answer.DONE);
        renewal = store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION));
        assertThat(renewal.asked().draining()).isFalse();
        assertThat(renewal.shared().get(SUBSCRIPTION)).isEqualTo(new Renew.Sharing(1, FILTER, false));
        assertThat(store.operate().paused()).isEmpty();
        assertThat(store.operate().nodes()).noneMatch(Operate.Member::draining);
        assertThat(store.operate().pause("unknown", BY)).isEqualTo(Answer.NO_SUBSCRIPTION);
        assertThat(store.operate().drain("unknown", BY)).isEqualTo(Answer.NO_NODE);
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    private Delivery parkedAs(StoredEvent event, LaneReader reader) {
        Delivery row = rowsOf(reader, Park.Wanted.WAITING_AND_DEAD).get(0);
        return new Delivery(
                event.position(),
                event.id(),
                event.type(),
                event.key(),
                Delivery.Status.WAITING,
                0,
                row.dueAt(),
                false,
                null,
                Schedule.NONE);
    }

    private long requests(LaneReader reader) {
        return store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION)).held().stream()
                .filter(held -> held.ownership().equals(reader.ownership()))
                .mapToLong(Renew.HeldLane::requests)
                .findFirst()
                .orElseThrow(() -> new AssertionError(reader.ownership() + " is not held"));
    }

    private Dead bury() {
        return bury(entry("ann", "a"));
    }

    private Dead bury(Append.Entry entry) {
        T transaction = fixture.begin();
        store.append().append(transaction, List.of(entry));
        fixture.commit(transaction);
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        return new Dead(reader, event, event.position());
    }

    private record Dead(LaneReader reader, StoredEvent event, Position position) {}
}
