package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.operate.Search;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.Retention;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.FilterText;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Stories: what became of an event, and why it is not delivered. */
public abstract class StorySuite<T> extends StoreCase<T> {

    private Search search() {
        return store.search();
    }

    private Why why(StoredEvent event) {
        return search().why(SUBSCRIPTION, event.id());
    }

    // ---- why --------------------------------------------------------------------------------------------------------

    @Test
    void an_event_that_was_settled_is_delivered_at_that_time() {
        committed("ann", "a", "b");
        LaneReader reader = reader("ann");
        StoredEvent first = reader.next(1).get(0);
        assertThat(reader.settle(1)).isTrue();
        Instant between = deliveredAt(first);
        eventually().holds(() -> assertThat(Instant.now()).isAfter(between.plusMillis(1)));
        StoredEvent second = reader.next(1).get(0);
        assertThat(reader.settle(1)).isTrue();
        assertThat(deliveredAt(first)).isEqualTo(between).isAfterOrEqualTo(first.appendedAt());
        assertThat(deliveredAt(second)).isAfter(between);
    }

    @Test
    void each_of_many_events_is_delivered_when_its_own_batch_was() {
        committed("ann", numbered("n", 9));
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.peek(LaneReader.MANY).events();
        for (StoredEvent event : events) {
            assertThat(why(event)).isInstanceOf(Why.Behind.class);
            reader.next(1);
            assertThat(reader.settle(1)).isTrue();
            assertThat(why(event)).isInstanceOf(Why.Delivered.class);
        }
        assertThat(events.stream().map(this::deliveredAt)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void an_event_that_nobody_has_come_to_is_behind_others_of_its_lane() {
        committed("ann", "a", "b", "c");
        register();
        StoredEvent third = newest();
        assertThat(why(third)).isEqualTo(new Why.Behind(third.lane(), 2, null, null));
        readers(NODE, SUBSCRIPTION);
        assertThat(why(third)).isInstanceOfSatisfying(Why.Behind.class, behind -> {
            assertThat(behind.owner()).isEqualTo(NODE);
            assertThat(behind.leaseUntil()).isAfter(Instant.now());
            assertThat(behind.ahead()).isEqualTo(2);
        });
    }

    @Test
    void an_event_that_committed_late_is_not_yet_read() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", "late");
        committed("ann", "early");
        reader.drain();
        assertThat(reader.settle(1)).isTrue();
        fixture.commit(slow);
        StoredEvent late = search().deliveries(SUBSCRIPTION, Search.State.PENDING, EventFilter.ALL, null, 10)
                .events()
                .get(0);
        assertThat(why(late)).isInstanceOfSatisfying(Why.NotYetRead.class, not -> {
            assertThat(not.lane()).isEqualTo(Lane.of("ann", drawId(), Lane.COUNT_DEFAULT));
            assertThat(not.owner()).isEqualTo(NODE);
        });
        reader.drain();
        assertThat(reader.settle(1)).isTrue();
        assertThat(why(late)).isInstanceOf(Why.Delivered.class);
    }

    @Test
    void a_delivery_row_says_what_its_event_waits_for() {
        committed("ann", "first", "second", "third");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        Instant due = someTime().plus(Duration.ofHours(1));
        Delivery failing = parked(events.get(0)).waiting(2, due, "broken");
        assertThat(reader.park(List.of(failing, parked(events.get(1))))).isTrue();
        assertThat(why(events.get(0))).isEqualTo(new Why.Retrying(2, due, "broken"));
        assertThat(why(events.get(1)))
                .isEqualTo(new Why.BlockedBy(
                        events.get(0).position(), events.get(0).id(), Delivery.Status.WAITING));
        assertThat(store.claim().claim(reader.ownership(), List.of(events.get(0).position())))
                .hasSize(1);
        assertThat(why(events.get(0))).isInstanceOfSatisfying(Why.Running.class, running -> {
            assertThat(running.attempt()).isEqualTo(3);
            assertThat(running.node()).isEqualTo(NODE);
        });
        assertThat(reader.settle(
                        new Counts(0, 0, -1, 1, 0, 0),
                        List.of(parked(events.get(0)).dead(3, "for good")),
                        List.of()))
                .isTrue();
        assertThat(why(events.get(0))).isEqualTo(new Why.Dead(3, "for good"));
        assertThat(why(events.get(1))).as("a dead event lets its key go on").isInstanceOf(Why.Waiting.class);
    }

    @Test
    void a_dead_event_blocks_its_key_only_where_keys_stay_blocked_and_until_the_key_is_released() {
        String stays = FILTER + " " + FilterText.STAYS_BLOCKED;
        for (String filter : List.of(FILTER, stays)) {
            String subscription = filter.equals(stays) ? "stays" : SUBSCRIPTION;
            committed("ann", "first", "second");
            store.subscriptions().register(subscription, Start.beginning(), filter);
            store.renew().renew(NODE, LONG_LEASE, Set.of(subscription));
            LaneReader reader = of(
                    "ann",
                    store.claim().claim(claimant(NODE, subscription, filter), List.of(), Lane.COUNT_DEFAULT).stream()
                            .map(lane -> new LaneReader(store, lane))
                            .toList());
            List<StoredEvent> events = reader.drain(LaneReader.MANY).subList(0, 2);
            assertThat(reader.settle(
                            new Counts(0, 0, 1, 1, 0, 0),
                            List.of(dead(events.get(0)), parked(events.get(1))),
                            List.of()))
                    .isTrue();
            EventId second = events.get(1).id();
            boolean blocked = filter.equals(stays);
            assertThat(search().why(subscription, second))
                    .isInstanceOf(blocked ? Why.BlockedBy.class : Why.Waiting.class);
            assertThat(listed(subscription, Search.State.BLOCKED)).hasSize(blocked ? 1 : 0);
            assertThat(listed(subscription, Search.State.WAITING)).hasSize(blocked ? 0 : 1);
            assertThat(store.operate().releaseKey(subscription, "ann", BY)).isEqualTo(Operate.Answer.DONE);
            assertThat(search().why(subscription, second)).isInstanceOf(Why.Waiting.class);
            assertThat(listed(subscription, Search.State.BLOCKED)).isEmpty();
            assertThat(listed(subscription, Search.State.WAITING)).hasSize(1);
        }
    }

    private List<StoredEvent> listed(String subscription, Search.State state) {
        return search().deliveries(subscription, state, EventFilter.ALL, null, 10)
                .events();
    }

    @Test
    void an_event_that_is_wanted_later_waits_and_one_that_expired_says_so() {
        committed("ann", "later");
        committed(keysBeside("ann", 2).get(1), "expired");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        Instant due = someTime().plus(Duration.ofHours(1));
        Delivery later = parked(events.get(0)).waiting(0, due, null);
        assertThat(reader.settle(
                        new Counts(0, 0, 1, 0, 1, 0),
                        List.of(later, parked(events.get(1)).expired(0)),
                        List.of()))
                .isTrue();
        assertThat(why(events.get(0))).isEqualTo(new Why.Waiting(due));
        assertThat(why(events.get(1))).isEqualTo(new Why.Expired(null));
    }

    @Test
    void what_a_subscription_never_gets_is_told_from_what_is_late() {
        committed("ann", "before");
        store.subscriptions().register("late", Start.end(), FILTER);
        store.subscriptions().register("other", Start.beginning(), "other.*");
        StoredEvent event = newest();
        assertThat(search().why("late", event.id())).isEqualTo(new Why.BeforeStart());
        assertThat(search().why("other", event.id())).isEqualTo(new Why.NotMatched("other.*"));
        assertThat(search().why("nobody", event.id())).isInstanceOf(Why.Unknown.class);
        assertThat(search().why("late", drawId())).isInstanceOf(Why.Unknown.class);
    }

    // ---- stories ----------------------------------------------------------------------------------------------------

    @Test
    void a_story_has_every_attempt_also_after_the_event_was_delivered() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(parked(event).waiting(1, someTime(), "first"))))
                .isTrue();
        assertThat(store.claim().claim(reader.ownership(), List.of(event.position())))
                .hasSize(1);
        assertThat(reader.settle(Counts.NONE, List.of(parked(event).waiting(2, someTime(), "second")), List.of()))
                .isTrue();
        assertThat(store.claim().claim(reader.ownership(), List.of(event.position())))
                .hasSize(1);
        assertThat(reader.settle(new Counts(1, 0, -1, 0, 0, 0), List.of(), List.of(event.position())))
                .isTrue();
        Story story = search().story(event.id()).orElseThrow();
        assertThat(story.event()).isEqualTo(event);
        assertThat(story.standings()).singleElement().satisfies(standing -> {
            assertThat(standing.subscription()).isEqualTo(SUBSCRIPTION);
            assertThat(standing.attempts())
                    .extracting(Story.Attempt::ending)
                    .containsExactly(Story.Ending.RETRYING, Story.Ending.RETRYING, Story.Ending.DELIVERED);
            assertThat(standing.attempts()).extracting(Story.Attempt::number).containsExactly(1, 2, 3);
            assertThat(standing.attempts()).extracting(Story.Attempt::error).containsExactly("first", "second", null);
            assertThat(standing.attempts()).extracting(Story.Attempt::who).containsOnly(NODE);
            assertThat(standing.why())
                    .isEqualTo(new Why.Delivered(standing.attempts().get(2).at()));
        });
    }

    @Test
    void a_row_that_is_handed_back_untried_is_no_attempt() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(parked(event)))).isTrue();
        assertThat(store.claim().claim(reader.ownership(), List.of(event.position())))
                .hasSize(1);
        assertThat(reader.settle(Counts.NONE, List.of(parked(event).waiting(0, someTime(), null)), List.of()))
                .isTrue();
        assertThat(attempts(event)).isEmpty();
    }

    @Test
    void an_event_of_a_paused_subscription_waits_for_it_to_be_resumed() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        assertThat(store.operate().pause(SUBSCRIPTION, BY).done()).isTrue();
        StoredEvent event = reader.drain(1).get(0);
        assertThat(why(event)).isEqualTo(new Why.Paused());
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        assertThat(why(event)).isInstanceOf(Why.Dead.class);
    }

    @Test
    void a_dead_event_that_is_kept_apart_is_found_like_any_other() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        Retention apart = Retention.DEFAULT.deadLetters(DeadLetters.MOVED);
        assertThat(store.retain().sweep(SUBSCRIPTION, apart).moved()).isEqualTo(1);
        assertThat(why(event)).isInstanceOf(Why.Dead.class);
        assertThat(store.search()
                        .deliveries(SUBSCRIPTION, Search.State.DEAD, EventFilter.ALL.key("ann"), null, 10)
                        .hits())
                .extracting(Search.Hit::event)
                .containsExactly(event);
        assertThat(store.search()
                        .deliveries(SUBSCRIPTION, Search.State.DELIVERED, EventFilter.ALL, null, 10)
                        .hits())
                .isEmpty();
        assertThat(store.operate().discard(SUBSCRIPTION, event.position(), BY).done())
                .isTrue();
        assertThat(why(event)).isInstanceOf(Why.Discarded.class);
    }

    @Test
    void a_story_tells_what_operators_decided() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        assertThat(store.operate().replay(SUBSCRIPTION, event.position(), BY).done())
                .isTrue();
        assertThat(store.claim().claim(reader.ownership(), List.of(event.position())))
                .hasSize(1);
        assertThat(reader.settle(new Counts(0, 0, -1, 1, 0, 0), List.of(dead(event)), List.of()))
                .isTrue();
        assertThat(store.operate().discard(SUBSCRIPTION, event.position(), BY).done())
                .isTrue();
        assertThat(attempts(event))
                .extracting(Story.Attempt::ending)
                .containsExactly(Story.Ending.DEAD, Story.Ending.REPLAYED, Story.Ending.DEAD, Story.Ending.DISCARDED);
        assertThat(why(event)).isInstanceOf(Why.Discarded.class);
        assertThat(search().deliveries(SUBSCRIPTION, Search.State.DELIVERED, EventFilter.ALL, null, 10)
                        .hits())
                .isEmpty();
    }

    @Test
    void a_story_tells_what_became_of_a_task() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(Delivery.task(event, someTime())))).isTrue();
        assertThat(why(event)).isInstanceOf(Why.Waiting.class);
        Claim.ClaimedDelivery first = claimTask();
        Delivery failed = first.delivery().waiting(1, someTime(), "broken");
        assertThat(store.tasks().settle(SUBSCRIPTION, List.of(ended(first, Counts.NONE, failed))))
                .hasSize(1);
        store.tasks().prepare(SUBSCRIPTION);
        Claim.ClaimedDelivery second = claimTask();
        assertThat(store.tasks().settle(SUBSCRIPTION, List.of(ended(second, new Counts(1, 0, -1, 0, 0, 0), null))))
                .hasSize(1);
        assertThat(attempts(event))
                .extracting(Story.Attempt::ending)
                .containsExactly(Story.Ending.RETRYING, Story.Ending.DELIVERED);
        assertThat(why(event))
                .isEqualTo(new Why.Delivered(attempts(event).get(1).at()));
    }

    @Test
    void a_story_is_told_of_every_subscription_and_not_of_an_unknown_event() {
        committed("ann", "a");
        store.subscriptions().register("b", Start.beginning(), FILTER);
        store.subscriptions().register("a", Start.beginning(), "nothing");
        StoredEvent event = newest();
        assertThat(search().story(event.id()).orElseThrow().standings())
                .extracting(Story.Standing::subscription)
                .containsExactly("a", "b");
        assertThat(search().story(drawId())).isEmpty();
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    private List<Story.Attempt> attempts(StoredEvent event) {
        return search().story(event.id()).orElseThrow().standings().get(0).attempts();
    }

    private Claim.ClaimedDelivery claimTask() {
        store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION));
        Tasks.Claimant claimant =
                new Tasks.Claimant(NODE, SUBSCRIPTION, LONG_LEASE, Duration.ofSeconds(10), Tasks.Types.ALL);
        return store.tasks().claim(claimant, 1).get(0);
    }

    private static Tasks.Ended ended(Claim.ClaimedDelivery task, Counts change, @Nullable Delivery left) {
        Tasks.HeldTask held =
                new Tasks.HeldTask(task.event().lane(), task.event().position(), task.claim());
        return new Tasks.Ended(held, change, left);
    }

    private StoredEvent newest() {
        return search().events(EventFilter.ALL, null, 1).events().get(0);
    }

    private Instant deliveredAt(StoredEvent event) {
        assertThat(why(event)).isInstanceOf(Why.Delivered.class);
        return Objects.requireNonNull(((Why.Delivered) why(event)).at());
    }
}
