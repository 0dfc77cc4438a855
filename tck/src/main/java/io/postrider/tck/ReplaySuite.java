package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Audit;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate.Answer;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Kind;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.Standing;
import io.postrider.operate.Operation.State;
import io.postrider.operate.Operation.Target;
import io.postrider.operate.Story;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Chunks;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The replay of events that are settled and have no delivery row, as the store does it: skipped and delivered ones. */
public abstract class ReplaySuite<T> extends ReplayCase<T> {
    // ---- what is meant ----------------------------------------------------------------------------------------------

    /** The open part of a log need not have the indexes that the parts before it have. */
    @Test
    void of_two_events_with_one_id_the_newest_is_found_wherever_the_log_keeps_them() {
        EventId id = drawId();
        committedAs(id, "old");
        for (int round = 0; round < 6; round++) {
            committed("ann", numbered("filler-" + round + "-", 40));
            store.prune().prune(Duration.ofDays(1));
        }
        committedAs(id, "new");
        assertThat(store.search().story(id).orElseThrow().event().payload()).isEqualTo("\"new\"");
    }

    private void committedAs(EventId id, String text) {
        T transaction = fixture.begin();
        store.append()
                .append(
                        transaction,
                        List.of(new Append.Entry(id, TYPE, "ann", "\"" + text + "\"", Headers.NONE, null)));
        fixture.commit(transaction);
    }

    @Test
    void a_preview_of_delivered_events_counts_exactly_and_writes_nothing() {
        List<StoredEvent> events = delivered("ann", 5);
        var preview = store.operations().preview(DELIVERED, 2);
        assertThat(preview.count()).isEqualTo(5);
        assertThat(preview.leftOut()).isEmpty();
        assertThat(preview.sample())
                .extracting(Delivery::id)
                .containsExactly(events.get(0).id(), events.get(1).id());
        assertThat(preview.sample()).allMatch(row -> row.status() == Delivery.Status.WAITING && row.attempt() == 0);
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(5, 0, 0, 0, 0, 0));
        assertThat(entries()).isEmpty();
        assertThat(count(SKIPPED)).isZero();
    }

    @Test
    void a_range_and_each_part_of_a_filter_count() {
        Headers headers = Headers.NONE.with(Headers.USER_ID, "u1").with(Headers.CORRELATION_ID, "c1");
        append(new Append.Entry(drawId(), TYPE, "ann", "1", headers, "acme"), entry("ben", "2"), entry("ben", "3"));
        List<StoredEvent> events = settleAll();
        Position second = events.get(1).position();
        assertThat(count(DELIVERED.positions(second, null))).isEqualTo(2);
        assertThat(count(DELIVERED.positions(null, second))).isEqualTo(2);
        assertThat(count(DELIVERED.positions(second, second))).isEqualTo(1);
        assertThat(count(DELIVERED.filter(EventFilter.ALL.key("ben")))).isEqualTo(2);
        assertThat(count(DELIVERED.filter(EventFilter.ALL.type(TYPE)))).isEqualTo(3);
        assertThat(count(DELIVERED.filter(EventFilter.ALL.type("other")))).isZero();
        assertThat(count(DELIVERED.filter(EventFilter.ALL.tenant("acme")))).isEqualTo(1);
        assertThat(count(DELIVERED.filter(EventFilter.ALL.userId("u1").correlationId("c1"))))
                .isEqualTo(1);
        var first = events.get(0).appendedAt();
        var hour = Duration.ofHours(1);
        assertThat(count(DELIVERED.filter(EventFilter.ALL.between(first, null))))
                .isEqualTo(3);
        assertThat(count(DELIVERED.filter(EventFilter.ALL.between(first.plus(hour), null))))
                .isZero();
        assertThat(count(DELIVERED.filter(EventFilter.ALL.between(null, first.minus(hour)))))
                .isZero();
        assertThat(count(DELIVERED.filter(EventFilter.ALL.between(first.minus(hour), first.plus(hour)))))
                .isEqualTo(3);
    }

    @Test
    void events_that_have_a_row_or_were_discarded_or_are_pending_are_not_meant() {
        append(entry("ann", "dead"), entry("ann", "waits"), entry("ann", "discarded"), entry("ann", "delivered"));
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(100);
        assertThat(reader.settle(
                        new Counts(1, 0, 1, 2, 0, 0),
                        List.of(dead(events.get(0)), parked(events.get(1)), dead(events.get(2))),
                        List.of()))
                .isTrue();
        store.operate().discard(SUBSCRIPTION, events.get(2).position(), BY);
        committed("ann", "pending");
        assertThat(store.operations().preview(DELIVERED, 10).sample())
                .extracting(Delivery::id)
                .containsExactly(events.get(3).id());
    }

    @Test
    void what_was_appended_before_the_subscription_began_is_not_meant() {
        committed("ann", "before");
        LaneReader reader = reader(SUBSCRIPTION, Start.end(), "ann");
        committed("ann", "after");
        List<StoredEvent> events = reader.drain(100);
        assertThat(reader.settle(1)).isTrue();
        assertThat(store.operations().preview(DELIVERED, 10).sample())
                .extracting(Delivery::id)
                .containsExactly(events.get(0).id());
        Position before = new Position(events.get(0).position().value() - 1);
        assertThat(store.operate().replayDelivered(SUBSCRIPTION, before, BY)).isEqualTo(Answer.BEFORE_START);
    }

    @Test
    void an_operation_about_settled_events_only_replays_and_asks_for_no_error() {
        assertThatThrownBy(() -> store.operations().start(Kind.DISCARD, DELIVERED, Pace.UNLIMITED, BY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only dead and expired");
        assertThatThrownBy(() -> DELIVERED.errorContains("x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DELIVERED.states(Set.of(Standing.DEAD, Standing.SKIPPED)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.operations().start(Kind.REPLAY, Target.skipped("unknown"), Pace.UNLIMITED, BY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no subscription 'unknown'");
    }

    // ---- chunks -----------------------------------------------------------------------------------------------------

    @Test
    void chunks_give_delivered_events_rows_each_once_and_count_them() {
        List<StoredEvent> events = delivered("ann", 5);
        Operation started = start(DELIVERED);
        assertThat(started.progress()).isEqualTo(new Operation.Progress(5, 0, 0, 0));
        assertThat(started.target()).isEqualTo(DELIVERED);
        Chunks.HeldOperation held = take();
        assertThat(move(held, 2)).isEqualTo(new Chunks.Moved(2, 2, false, false, true));
        assertThat(waiting()).containsExactly(events.get(0).id(), events.get(1).id());
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(3, 0, 2, 0, 0, 0));
        assertThat(move(held, 10)).isEqualTo(new Chunks.Moved(3, 5, true, false, true));
        assertThat(waiting()).hasSize(5);
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 5, 0, 0, 0));
        Operation ended = store.operations().find(started.id()).orElseThrow();
        assertThat(ended.state()).isEqualTo(State.FINISHED);
        assertThat(ended.progress()).isEqualTo(new Operation.Progress(5, 5, 5, 0));
        assertThat(store.chunks().move(held, room(10), LONG_LEASE)).isEmpty();
        assertThat(store.audit().entries(Audit.Query.ALL.event(events.get(3).id()), Long.MAX_VALUE, 10))
                .extracting(Audit.Entry::operation)
                .containsOnly(started.id());
        assertThat(count(DELIVERED)).isZero();
    }

    @Test
    void a_replayed_event_waits_from_its_first_attempt_and_its_lane_hears_of_it() {
        StoredEvent event = delivered("ann", 1).get(0);
        long before = requests(event.lane());
        start(DELIVERED);
        move(take(), 10);
        assertThat(requests(event.lane())).isGreaterThan(before);
        Delivery row = store.browse()
                .deliveries(SUBSCRIPTION, Delivery.Status.WAITING, Position.ZERO, 10)
                .get(0);
        assertThat(row.attempt()).isZero();
        assertThat(row.schedule().expiresAt()).isNull();
        Story.Standing told =
                store.search().story(event.id()).orElseThrow().standings().get(0);
        assertThat(told.attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.ending()).isEqualTo(Story.Ending.REPLAYED);
            assertThat(attempt.who()).isEqualTo(BY.who());
        });
    }

    @Test
    void a_lane_without_room_is_passed_over_until_it_has_some() {
        String apart = keyApartFrom("ann");
        append(entry("ann", "1"), entry("ann", "2"), entry("ann", "3"), entry(apart, "4"));
        List<StoredEvent> events = settleAll();
        start(DELIVERED);
        Chunks.HeldOperation held = take();
        assertThat(moveWithin(held, 2)).isEqualTo(new Chunks.Moved(3, 3, false, false, true));
        assertThat(moveWithin(held, 2)).isEqualTo(new Chunks.Moved(0, 3, false, true, true));
        assertThat(moveWithin(held, 1)).isEqualTo(new Chunks.Moved(0, 3, false, true, true));
        LaneReader reader = of("ann", readers(NODE, SUBSCRIPTION));
        assertThat(reader.settle(
                        new Counts(1, 0, -1, 0, 0, 0),
                        List.of(),
                        List.of(events.get(0).position())))
                .isTrue();
        assertThat(moveWithin(held, 2)).isEqualTo(new Chunks.Moved(1, 4, true, false, true));
    }

    @Test
    void what_is_settled_after_the_start_is_not_meant() {
        LaneReader reader = reader("ann");
        committed("ann", "a", "b");
        StoredEvent buried = reader.drain(100).get(0);
        assertThat(reader.settle(new Counts(1, 0, 0, 1, 0, 0), List.of(dead(buried)), List.of()))
                .isTrue();
        committed("ann", "later");
        start(DELIVERED);
        reader.drain(100);
        assertThat(reader.settle(1)).isTrue();
        store.operate().replay(SUBSCRIPTION, buried.position(), BY);
        assertThat(reader.settle(new Counts(1, 0, -1, 0, 0, 0), List.of(), List.of(buried.position())))
                .isTrue();
        assertThat(move(take(), 10)).isEqualTo(new Chunks.Moved(1, 1, true, false, true));
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(2, 0, 1, 0, 0, 0));
    }

    @Test
    void the_record_that_a_delivered_event_was_processed_goes_with_its_replay() {
        List<StoredEvent> events = delivered("ann", 2);
        assertThat(first(events.get(0).id())).isTrue();
        assertThat(first(events.get(1).id())).isTrue();
        start(DELIVERED.positions(events.get(0).position(), events.get(0).position()));
        move(take(), 10);
        assertThat(first(events.get(0).id())).as("it has its effect again").isTrue();
        assertThat(first(events.get(1).id())).isFalse();
    }

    // ---- skipped ----------------------------------------------------------------------------------------------------

    @Test
    void what_a_filter_skipped_is_replayed_once_another_takes_it() {
        List<StoredEvent> events = skipped();
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), WIDE);
        var preview = store.operations().preview(SKIPPED, 10);
        assertThat(preview.sample())
                .extracting(Delivery::id)
                .containsExactly(events.get(1).id());
        assertThat(preview.leftOut())
                .containsExactly("1 event is left out: the subscription's filter does not take it");
        assertThat(store.operations().preview(DELIVERED, 10).sample())
                .extracting(Delivery::id)
                .containsExactly(events.get(0).id());
        Operation started = start(SKIPPED);
        assertThat(started.reasons()).isEqualTo(preview.leftOut());
        assertThat(move(take(), 10)).isEqualTo(new Chunks.Moved(1, 1, true, false, true));
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(1, 1, 1, 0, 0, 0));
        assertThat(waiting()).containsExactly(events.get(1).id());
    }

    @Test
    void what_a_filter_still_does_not_take_is_left_out() {
        List<StoredEvent> events = skipped();
        assertThat(count(SKIPPED)).isZero();
        assertThat(store.operations().preview(SKIPPED, 1).leftOut())
                .containsExactly("2 events are left out: the subscription's filter does not take them");
        assertThat(store.operate().replay(SUBSCRIPTION, events.get(1).position(), BY))
                .isEqualTo(Answer.NOT_TAKEN);
    }

    // ---- one event --------------------------------------------------------------------------------------------------

    @Test
    void a_skipped_event_is_replayed_alone_and_then_is_a_delivered_one() {
        StoredEvent event = skipped().get(1);
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), WIDE);
        assertThat(store.operate().replayDelivered(SUBSCRIPTION, event.position(), BY))
                .isEqualTo(Answer.NOT_DELIVERED);
        assertThat(store.operate().replay(SUBSCRIPTION, event.id(), BY)).isEqualTo(Answer.DONE);
        assertThat(store.operate().replay(SUBSCRIPTION, event.id(), BY)).isEqualTo(Answer.NOT_DEAD);
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(1, 1, 1, 0, 0, 0));
        LaneReader reader = claimWith(WIDE, event.lane());
        assertThat(reader.settle(new Counts(1, 0, -1, 0, 0, 0), List.of(), List.of(event.position())))
                .isTrue();
        assertThat(store.operate().replay(SUBSCRIPTION, event.id(), BY)).isEqualTo(Answer.DELIVERED);
        assertThat(store.search().why(SUBSCRIPTION, event.id()).getClass().getSimpleName())
                .isEqualTo("Delivered");
        assertThat(count(SKIPPED)).isZero();
        assertThat(count(DELIVERED)).isEqualTo(2);
    }

    @Test
    void a_delivered_event_is_replayed_on_purpose_only() {
        StoredEvent event = delivered("ann", 1).get(0);
        Position position = event.position();
        assertThat(first(event.id())).isTrue();
        assertThat(store.operate().replay(SUBSCRIPTION, position, BY)).isEqualTo(Answer.DELIVERED);
        assertThat(waiting()).isEmpty();
        assertThat(store.operate().replayDelivered(SUBSCRIPTION, position, BY)).isEqualTo(Answer.DONE);
        assertThat(first(event.id())).as("it has its effect again").isTrue();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 1, 0, 0, 0));
        assertThat(store.operate().replayDelivered(SUBSCRIPTION, event.id(), BY))
                .isEqualTo(Answer.NOT_DEAD);
        assertThat(entries()).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo(Audit.Action.REPLAY);
            assertThat(entry.event()).isEqualTo(event.id());
            assertThat(entry.details()).containsEntry("was", "delivered");
        });
    }

    @Test
    void each_event_that_cannot_be_replayed_is_answered_with_why() {
        append(entry("ann", "dead"), entry("ann", "discarded"));
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(100);
        assertThat(reader.bury(List.of(dead(events.get(0)), dead(events.get(1)))))
                .isTrue();
        store.operate().discard(SUBSCRIPTION, events.get(1).position(), BY);
        committed("ann", "pending");
        StoredEvent pending = reader.peek(1).events().get(0);
        var operate = store.operate();
        assertThat(operate.replayDelivered(SUBSCRIPTION, events.get(0).position(), BY))
                .isEqualTo(Answer.NOT_DELIVERED);
        assertThat(operate.replay(SUBSCRIPTION, events.get(1).position(), BY)).isEqualTo(Answer.DISCARDED);
        assertThat(operate.replayDelivered(SUBSCRIPTION, events.get(1).position(), BY))
                .isEqualTo(Answer.DISCARDED);
        assertThat(operate.replay(SUBSCRIPTION, pending.position(), BY)).isEqualTo(Answer.PENDING);
        assertThat(operate.replay(SUBSCRIPTION, new Position(1_000_000), BY)).isEqualTo(Answer.NO_EVENT);
        assertThat(operate.replay(SUBSCRIPTION, drawId(), BY)).isEqualTo(Answer.NO_EVENT);
        assertThat(operate.replay("unknown", pending.position(), BY)).isEqualTo(Answer.NO_SUBSCRIPTION);
        assertThat(operate.replayDelivered("unknown", drawId(), BY)).isEqualTo(Answer.NO_SUBSCRIPTION);
        assertThat(operate.replay(SUBSCRIPTION, events.get(0).id(), BY)).isEqualTo(Answer.DONE);
    }
}
