package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventFilter;
import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Audit;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate.Answer;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Kind;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.State;
import io.postrider.operate.Operation.Target;
import io.postrider.store.Append;
import io.postrider.store.Chunks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Operations and their chunks, as the store keeps them: what they are about, who holds them, how far they are. */
public abstract class ChunkSuite<T> extends StoreCase<T> {
    private static final Target ALL = Target.dead(SUBSCRIPTION);
    private final List<LaneReader> readers = new ArrayList<>();

    // ---- preview ----------------------------------------------------------------------------------------------------

    @Test
    void a_preview_counts_exactly_shows_the_first_and_writes_nothing() {
        List<StoredEvent> events = bury("ann", 5);
        var preview = store.operations().preview(ALL, 2);
        assertThat(preview.count()).isEqualTo(5);
        assertThat(preview.sample())
                .extracting(Delivery::id)
                .containsExactly(events.get(0).id(), events.get(1).id());
        assertThat(store.operations().list(null, Long.MAX_VALUE, 10)).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 0, 5, 0, 0));
        assertThat(entries()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.operations().preview(Target.dead("lettres"), 2))
                .withMessage("there is no subscription 'lettres'; those registered are 'letters'");
    }

    @Test
    void each_part_of_a_filter_counts_also_those_that_only_the_event_has() {
        Instant before = someTime().minusSeconds(3_600);
        Headers headers = Headers.NONE.with(Headers.USER_ID, "u1").with(Headers.CORRELATION_ID, "c1");
        bury(List.of(
                new Append.Entry(drawId(), TYPE, "ann", "1", headers, "acme"),
                new Append.Entry(drawId(), "letter.lost", "ben", "2", Headers.NONE, null)));
        assertThat(count(ALL)).isEqualTo(2);
        assertThat(count(ALL.filter(EventFilter.ALL.type(TYPE)))).isEqualTo(1);
        assertThat(count(ALL.filter(EventFilter.ALL.key("ben")))).isEqualTo(1);
        assertThat(count(ALL.filter(EventFilter.ALL.tenant("acme")))).isEqualTo(1);
        assertThat(count(ALL.filter(EventFilter.ALL.userId("u1").correlationId("c1"))))
                .isEqualTo(1);
        assertThat(count(ALL.filter(EventFilter.ALL.userId("u1").key("ben")))).isZero();
        assertThat(count(ALL.filter(EventFilter.ALL.between(before, null)))).isEqualTo(2);
        assertThat(count(ALL.filter(EventFilter.ALL.between(null, before)))).isZero();
        Position first = store.operations().preview(ALL, 1).sample().get(0).position();
        assertThat(count(ALL.positions(first, first))).isEqualTo(1);
        assertThat(count(ALL.positions(new Position(first.value() + 1), null))).isEqualTo(1);
        assertThat(count(ALL.errorContains("roke"))).isEqualTo(2);
        assertThat(count(ALL.errorContains("_roke"))).isZero();
        assertThat(count(ALL.states(Set.of(Operation.Standing.EXPIRED)))).isZero();
    }

    // ---- chunks -----------------------------------------------------------------------------------------------------

    @Test
    void chunks_go_by_position_and_each_event_is_decided_about_once() {
        List<StoredEvent> events = bury("ann", 5);
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED);
        assertThat(started.progress()).isEqualTo(new Operation.Progress(5, 0, 0, 0));
        Chunks.HeldOperation held = take(NODE);
        assertThat(move(held, 2)).isEqualTo(new Chunks.Moved(2, 2, false, false, true));
        assertThat(positions(Delivery.Status.WAITING))
                .containsExactly(events.get(0).position(), events.get(1).position());
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 2, 3, 0, 0));
        burials(events.get(0));
        assertThat(move(held, 3)).isEqualTo(new Chunks.Moved(3, 5, false, false, true));
        assertThat(move(held, 3)).isEqualTo(new Chunks.Moved(0, 5, true, false, true));
        assertThat(positions(Delivery.Status.DEAD))
                .as("what is dead again is not replayed again")
                .containsExactly(events.get(0).position());
        Operation ended = find(started);
        assertThat(ended.state()).isEqualTo(State.FINISHED);
        assertThat(ended.progress()).isEqualTo(new Operation.Progress(5, 5, 4, 1));
        assertThat(store.chunks().move(held, room(3), LONG_LEASE)).isEmpty();
        assertThat(entries())
                .extracting(Audit.Entry::action)
                .containsExactly(Action.OPERATION_FINISHED, Action.OPERATION_STARTED);
        assertThat(entries().get(0).details())
                .containsEntry("total", "5")
                .containsEntry("done", "5")
                .containsEntry("failedAgain", "1");
    }

    @Test
    void what_dies_after_the_start_is_not_meant() {
        List<StoredEvent> events = append("ann", 2);
        burials(events.get(1));
        start(Kind.DISCARD, ALL, Pace.UNLIMITED);
        burials(events.get(0));
        assertThat(move(take(NODE), 10)).isEqualTo(new Chunks.Moved(1, 1, true, false, true));
        assertThat(positions(Delivery.Status.DEAD))
                .containsExactly(events.get(0).position());
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 0, 1, 0, 1));
    }

    @Test
    void an_event_leads_to_the_operation_that_decided_about_it() {
        List<StoredEvent> events = bury("ann", 2);
        Operation started = start(Kind.DISCARD, ALL.filter(EventFilter.ALL.key("ann")), Pace.UNLIMITED);
        move(take(NODE), 1);
        assertThat(entries(Audit.Query.ALL.event(events.get(0).id())))
                .extracting(Audit.Entry::operation)
                .containsExactly(started.id());
        assertThat(entries(Audit.Query.ALL.event(events.get(1).id()))).isEmpty();
        assertThat(entries(Audit.Query.ALL.operation(started.id())))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.by()).isEqualTo(BY);
                    assertThat(entry.details())
                            .isEqualTo(Map.of("kind", "discard", "states", "dead", "total", "2", "key", "ann"));
                });
    }

    // ---- leases -----------------------------------------------------------------------------------------------------

    @Test
    void one_node_at_a_time_holds_an_operation_and_who_lost_it_writes_nothing() {
        bury("ann", 4);
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED);
        assertThat(store.renew().renew(OTHER_NODE, LONG_LEASE, Set.of()).asked().operations())
                .isTrue();
        Chunks.HeldOperation first =
                store.chunks().take(NODE, Set.of(), SHORT_LEASE, 10).get(0);
        Chunks.HeldOperation second = eventually().gives(() -> {
            List<Chunks.HeldOperation> taken = store.chunks().take(OTHER_NODE, Set.of(), LONG_LEASE, 10);
            assertThat(taken).hasSize(1);
            return taken.get(0);
        });
        assertThat(store.chunks().take(NODE, Set.of(), LONG_LEASE, 10)).isEmpty();
        assertThat(store.renew().renew(NODE, LONG_LEASE, Set.of()).asked().operations())
                .isFalse();
        assertThat(store.chunks().move(first, room(1), LONG_LEASE)).isEmpty();
        assertThat(store.chunks().watch(first, 1, LONG_LEASE)).isEmpty();
        assertThat(store.chunks().pass(first)).isFalse();
        assertThat(store.chunks().stop(first)).isFalse();
        assertThat(store.chunks().fail(first, "late")).isFalse();
        assertThat(find(started).progress().done()).isZero();
        assertThat(move(second, 1).moved()).isEqualTo(1);

        store.chunks().release(List.of(first));
        assertThat(store.chunks().take(NODE, Set.of(), LONG_LEASE, 10)).isEmpty();
        store.chunks().release(List.of(second));
        Chunks.HeldOperation third = take(NODE);
        assertThat(third.operation().progress().done()).isEqualTo(1);
        assertThat(move(third, 10)).isEqualTo(new Chunks.Moved(3, 4, true, false, true));
    }

    @Test
    void a_node_takes_again_what_it_holds_and_does_not_run() {
        bury("ann", 1);
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED);
        Chunks.HeldOperation first = take(NODE);
        assertThat(store.chunks().take(NODE, Set.of(started.id()), LONG_LEASE, 10))
                .isEmpty();
        Chunks.HeldOperation again = take(NODE);
        assertThat(again.epoch()).isGreaterThan(first.epoch());
        assertThat(store.chunks().move(first, room(1), LONG_LEASE)).isEmpty();
    }

    // ---- how it goes on ---------------------------------------------------------------------------------------------

    @Test
    void a_cancelled_operation_moves_nothing_more_and_what_is_done_stays_done() {
        bury("ann", 3);
        Operation started = start(Kind.DISCARD, ALL, Pace.UNLIMITED);
        Chunks.HeldOperation held = take(NODE);
        move(held, 1);
        assertThat(store.operations().cancel(started.id(), BY)).isEqualTo(Answer.DONE);
        assertThat(store.operations().cancel(started.id(), BY)).isEqualTo(Answer.NOTHING);
        assertThat(store.operations().cancel(started.id() + 1, BY)).isEqualTo(Answer.NO_OPERATION);
        assertThat(store.chunks().move(held, room(1), LONG_LEASE)).isEmpty();
        assertThat(store.chunks().take(NODE, Set.of(), LONG_LEASE, 10)).isEmpty();
        assertThat(find(started).state()).isEqualTo(State.CANCELLED);
        assertThat(find(started).endedAt()).isNotNull();
        assertThat(find(started).remaining()).isEqualTo(2);
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 0, 2, 0, 1));
        assertThat(entries().get(0).action()).isEqualTo(Action.OPERATION_CANCELLED);
        assertThat(entries().get(0).details()).containsEntry("done", "1");
    }

    @Test
    void a_canary_is_watched_and_stops_an_operation_with_the_reasons() {
        List<StoredEvent> events = bury("ann", 3);
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED.canary(2, 0));
        assertThat(started.state()).isEqualTo(State.CANARY);
        Chunks.HeldOperation held = take(NODE);
        move(held, 2);
        assertThat(store.chunks().watch(held, 10, LONG_LEASE)).contains(new Chunks.Watched(2, 0));
        burials(events.get(0));
        assertThat(store.chunks().watch(held, 10, LONG_LEASE)).contains(new Chunks.Watched(1, 1));
        assertThat(store.chunks().stop(held)).isTrue();
        assertThat(find(started).state()).isEqualTo(State.STOPPED_BY_CANARY);
        assertThat(find(started).reasons()).containsExactly("broken");
        assertThat(store.chunks().move(held, room(2), LONG_LEASE)).isEmpty();
        assertThat(entries().get(0).action()).isEqualTo(Action.OPERATION_STOPPED_BY_CANARY);
    }

    @Test
    void an_operation_whose_subscription_is_gone_has_failed() {
        bury("ann", 1);
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED);
        Chunks.HeldOperation held = take(NODE);
        remove(SUBSCRIPTION);
        assertThat(store.chunks().move(held, room(1), LONG_LEASE)).isEmpty();
        assertThat(find(started).state()).isEqualTo(State.FAILED);
        assertThat(find(started).reasons()).containsExactly("its subscription was removed");
        assertThat(entries().stream().map(Audit.Entry::action)).contains(Action.OPERATION_FAILED);
        assertThatThrownBy(() -> store.operations().start(Kind.REPLAY, ALL, Pace.UNLIMITED, BY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no subscription '" + SUBSCRIPTION + "'");
    }

    @Test
    void operations_are_listed_newest_first_by_subscription_and_page() {
        bury("ann", 1);
        Operation first = start(Kind.REPLAY, ALL.errorContains("x"), Pace.UNLIMITED.perSecond(7));
        Operation second = start(Kind.DISCARD, ALL, Pace.UNLIMITED);
        assertThat(store.operations().list(SUBSCRIPTION, Long.MAX_VALUE, 10)).containsExactly(second, first);
        assertThat(store.operations().list(null, second.id(), 10)).containsExactly(first);
        assertThat(store.operations().list("other", Long.MAX_VALUE, 10)).isEmpty();
        assertThat(first.target()).isEqualTo(ALL.errorContains("x"));
        assertThat(first.pace()).isEqualTo(new Pace(7, 0, 0));
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    private long count(Target target) {
        return store.operations().preview(target, 0).count();
    }

    private Operation start(Kind kind, Target target, Pace pace) {
        return store.operations().start(kind, target, pace, BY).orElseThrow();
    }

    private Chunks.HeldOperation take(String node) {
        List<Chunks.HeldOperation> taken = store.chunks().take(node, Set.of(), LONG_LEASE, 10);
        assertThat(taken).hasSize(1);
        return taken.get(0);
    }

    private Chunks.Moved move(Chunks.HeldOperation held, int most) {
        return store.chunks().move(held, room(most), LONG_LEASE).orElseThrow();
    }

    private static Chunks.Room room(int most) {
        return new Chunks.Room(most, 1_000);
    }

    private Operation find(Operation operation) {
        return store.operations().find(operation.id()).orElseThrow();
    }

    private List<Audit.Entry> entries() {
        return entries(Audit.Query.ALL);
    }

    private List<Audit.Entry> entries(Audit.Query query) {
        return store.audit().entries(query, Long.MAX_VALUE, 100);
    }

    private List<Position> positions(Delivery.Status status) {
        return store.browse().deliveries(SUBSCRIPTION, status, Position.ZERO, 100).stream()
                .map(Delivery::position)
                .toList();
    }

    private List<StoredEvent> bury(String key, int count) {
        List<StoredEvent> events = append(key, count);
        burials(events.toArray(StoredEvent[]::new));
        return events;
    }

    private void bury(List<Append.Entry> entries) {
        burials(append(entries).toArray(StoredEvent[]::new));
    }

    private List<StoredEvent> append(String key, int count) {
        List<Append.Entry> entries = new ArrayList<>();
        for (String text : numbered("n", count)) {
            entries.add(entry(key, text));
        }
        return append(entries);
    }

    private List<StoredEvent> append(List<Append.Entry> entries) {
        T transaction = fixture.begin();
        store.append().append(transaction, entries);
        fixture.commit(transaction);
        register();
        readers.addAll(readers(NODE, SUBSCRIPTION));
        return readers.stream().flatMap(reader -> reader.drain(100).stream()).toList();
    }

    /** Settles them as dead; those that an operation had put back are no longer parked then. */
    private void burials(StoredEvent... events) {
        List<Position> waiting = positions(Delivery.Status.WAITING);
        for (StoredEvent event : events) {
            LaneReader reader = readers.stream()
                    .filter(one -> one.lane().equals(event.lane()))
                    .findFirst()
                    .orElseThrow();
            int parked = waiting.contains(event.position()) ? -1 : 0;
            assertThat(reader.settle(new Counts(0, 0, parked, 1, 0, 0), List.of(dead(event)), List.of()))
                    .isTrue();
        }
    }
}
