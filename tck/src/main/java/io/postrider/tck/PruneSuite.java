package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate.Answer;
import io.postrider.operate.Operation;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.Retention;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Prune: what every subscription is done with goes, and nothing else. */
public abstract class PruneSuite<T> extends StoreCase<T> {
    private static final int MORE = 20;

    @Test
    void what_every_subscription_is_done_with_is_dropped() {
        long last = fill();
        List<LaneReader> readers = subscribe(SUBSCRIPTION);
        finish(readers, last);
        pruneUntilItDrops();
        assertThat(remaining()).hasSizeLessThanOrEqualTo(fixture.segmentEvents());
    }

    @Test
    void what_one_subscription_has_not_read_is_kept() {
        long last = fill();
        List<LaneReader> done = subscribe(SUBSCRIPTION);
        LaneReader behind = of("ann", subscribe("behind"));
        finish(done, last);
        store.prune().prune(Duration.ZERO);
        assertThat(behind.drain(LaneReader.MANY)).hasSize(fixture.segmentEvents() + MORE);
        remove("behind");
        pruneUntilItDrops();
        assertThat(remaining()).hasSizeLessThanOrEqualTo(fixture.segmentEvents());
    }

    @Test
    void what_is_younger_than_what_is_to_be_retained_is_kept() {
        long last = fill();
        finish(subscribe(SUBSCRIPTION), last);
        assertThat(store.prune().prune(Duration.ofHours(1)).dropped()).isZero();
        assertThat(remaining()).hasSize(fixture.segmentEvents() + MORE);
    }

    @Test
    void what_may_still_commit_holds_prune_back() {
        store.prune().prune(Duration.ZERO);
        T slow = fixture.begin();
        append(slow, "ann", "late");
        long last = fill();
        List<LaneReader> readers = subscribe(SUBSCRIPTION);
        readers.forEach(reader -> {
            reader.drain(LaneReader.MANY);
            reader.next(LaneReader.MANY);
            assertThat(reader.settle(0)).isTrue();
            assertThat(reader.cursor().floor()).isLessThan(last);
        });
        store.prune().prune(Duration.ZERO);
        fixture.commit(slow);
        assertThat(of("ann", readers).drain()).containsExactly("late");
    }

    @Test
    void events_of_parked_and_dead_deliveries_outlive_the_log() {
        long last = fill();
        List<LaneReader> readers = subscribe(SUBSCRIPTION);
        LaneReader reader = of("ann", readers);
        List<StoredEvent> events = reader.next(2);
        assertThat(reader.settle(
                        new Counts(0, 0, 1, 1, 0, 0), List.of(parked(events.get(0)), dead(events.get(1))), List.of()))
                .isTrue();
        finish(readers, last);
        pruneUntilItDrops();
        assertThat(store.operate()
                        .replay(SUBSCRIPTION, events.get(1).position(), BY)
                        .done())
                .isTrue();
        List<Claim.ClaimedDelivery> claimed = store.claim()
                .claim(
                        reader.ownership(),
                        List.of(events.get(0).position(), events.get(1).position()));
        assertThat(claimed).extracting(Claim.ClaimedDelivery::event).containsExactlyInAnyOrderElementsOf(events);
    }

    @Test
    void a_replay_of_delivered_events_says_that_some_are_in_the_log_no_more() {
        long last = fill();
        finish(subscribe(SUBSCRIPTION), last);
        Operation.Target delivered = Operation.Target.delivered(SUBSCRIPTION);
        assertThat(store.operations().preview(delivered, 1).leftOut()).isEmpty();
        pruneUntilItDrops();
        var preview = store.operations().preview(delivered, 1);
        assertThat(preview.count()).isEqualTo(remaining().size());
        assertThat(preview.leftOut()).singleElement().asString().contains("in the log no more");
        assertThat(store.operations()
                        .start(Operation.Kind.REPLAY, delivered, Operation.Pace.UNLIMITED, BY)
                        .orElseThrow()
                        .reasons())
                .isEqualTo(preview.leftOut());
        Position end = new Position(last + 1);
        assertThat(store.operations().preview(delivered.positions(end, end), 1).leftOut())
                .isEmpty();
    }

    @Test
    void what_is_to_be_kept_for_good_is_kept() {
        long last = fill();
        finish(subscribe(SUBSCRIPTION), last);
        assertThat(store.prune().prune(Retention.FOR_GOOD).dropped()).isZero();
        assertThat(remaining()).hasSize(fixture.segmentEvents() + MORE);
    }

    @Test
    void a_dead_event_that_outlived_the_log_is_let_go_with_its_times() {
        long last = fill();
        List<LaneReader> readers = subscribe(SUBSCRIPTION);
        LaneReader reader = of("ann", readers);
        StoredEvent event = reader.next(1).get(0);
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        finish(readers, last);
        pruneUntilItDrops();
        assertThat(store.retain()
                        .sweep(SUBSCRIPTION, Retention.DEFAULT.dead(Duration.ZERO))
                        .drops())
                .singleElement()
                .satisfies(drop -> assertThat(drop.oldest()).isEqualTo(event.appendedAt()));
    }

    @Test
    void a_dead_event_that_was_moved_is_whole_whether_the_log_has_dropped_it_before_or_after() {
        long last = fill();
        List<LaneReader> readers = subscribe(SUBSCRIPTION);
        LaneReader reader = of("ann", readers);
        List<StoredEvent> events = reader.next(2);
        Retention moved = Retention.DEFAULT.deadLetters(DeadLetters.MOVED);
        assertThat(reader.bury(List.of(dead(events.get(0))))).isTrue();
        assertThat(store.retain().sweep(SUBSCRIPTION, moved).moved()).isEqualTo(1);
        assertThat(reader.bury(List.of(dead(events.get(1))))).isTrue();
        finish(readers, last);
        pruneUntilItDrops();
        assertThat(store.retain().sweep(SUBSCRIPTION, moved).moved()).isEqualTo(1);
        assertThat(store.deadEvents().list(SUBSCRIPTION, DeadEvent.Status.PENDING, Position.ZERO, 10))
                .extracting(DeadEvent::event)
                .isEqualTo(events);
        assertThat(store.operate()
                        .replay(SUBSCRIPTION, events.get(0).position(), BY)
                        .done())
                .isTrue();
        assertThat(store.claim().claim(reader.ownership(), List.of(events.get(0).position())))
                .extracting(Claim.ClaimedDelivery::event)
                .containsExactly(events.get(0));
    }

    @Test
    void a_log_that_was_pruned_goes_on() {
        long last = fill();
        List<LaneReader> readers = subscribe(SUBSCRIPTION);
        finish(readers, last);
        pruneUntilItDrops();
        committed("ann", "after");
        assertThat(of("ann", readers).drain()).containsExactly("after");
        assertThat(remaining()).endsWith("after");
    }

    @Test
    void what_was_appended_before_a_subscription_began_stays_so_when_its_first_settlements_are_of_the_past() {
        committed("ann", "before");
        StoredEvent before = reader("probe", Start.beginning(), "ann").next(1).get(0);
        store.subscriptions().register(SUBSCRIPTION, Start.end(), FILTER);
        List<LaneReader> readers = readers(NODE, SUBSCRIPTION);
        committed("ann", "after");
        StoredEvent after = of("ann", readers).next(1).get(0);
        settleForLong(readers);
        assertThat(store.search().why(SUBSCRIPTION, before.id())).isEqualTo(new Why.BeforeStart());
        assertThat(store.search().why(SUBSCRIPTION, after.id())).isInstanceOf(Why.Delivered.class);
        assertThat(store.search().story(before.id()).orElseThrow().standings())
                .extracting(Story.Standing::why)
                .contains(new Why.BeforeStart());
        assertThat(store.operations()
                        .preview(Operation.Target.delivered(SUBSCRIPTION), 10)
                        .sample())
                .extracting(Delivery::id)
                .containsExactly(after.id());
        assertThat(store.operate().replayDelivered(SUBSCRIPTION, before.position(), BY))
                .isEqualTo(Answer.BEFORE_START);
    }

    /** Settlements for several segments, of which those before the newest are of the past. */
    private void settleForLong(List<LaneReader> readers) {
        for (int round = 0; round < 5; round++) {
            for (int settled = 0; settled <= fixture.segmentEvents(); settled += readers.size()) {
                readers.forEach(reader -> assertThat(reader.settle(0)).isTrue());
            }
            store.prune().prune(Duration.ofHours(1));
        }
    }

    /** Fills the first segment and some of what follows; answers the last position. */
    private long fill() {
        store.prune().prune(Duration.ZERO);
        committed("ann", numbered("n", fixture.segmentEvents() + MORE));
        List<StoredEvent> events = reader("probe", Start.beginning(), "ann").drain(LaneReader.MANY);
        remove("probe");
        assertThat(events).hasSize(fixture.segmentEvents() + MORE);
        return events.get(events.size() - 1).position().value();
    }

    private List<LaneReader> subscribe(String subscription) {
        store.subscriptions().register(subscription, Start.beginning(), FILTER);
        return readers(NODE, subscription);
    }

    /** Reads and settles until the floor of every lane has reached this position. */
    private void finish(List<LaneReader> readers, long position) {
        eventually().holds(() -> {
            for (LaneReader reader : readers) {
                if (reader.cursor().floor() < position) {
                    reader.drain(LaneReader.MANY);
                    assertThat(reader.settle(0)).isTrue();
                }
            }
            assertThat(readers)
                    .allSatisfy(reader -> assertThat(reader.cursor().floor()).isGreaterThanOrEqualTo(position));
        });
    }

    private void pruneUntilItDrops() {
        eventually()
                .holds(() ->
                        assertThat(store.prune().prune(Duration.ZERO).dropped()).isPositive());
    }

    private List<String> remaining() {
        LaneReader probe = reader("probe", Start.beginning(), "ann");
        remove("probe");
        return probe.drain();
    }
}
