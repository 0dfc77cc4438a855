package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.StoredEvent;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.operate.Ledger;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.store.Claim;
import io.postrider.store.Retain;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Retention: what did not get through is kept as long as told, and nothing goes silently. */
public abstract class RetentionSuite<T> extends EngineCase<T> {
    private static final Retention HOURS =
            Retention.DEFAULT.dead(Duration.ofHours(1)).expired(Duration.ofHours(1));
    private static final Retention NO_DEAD = HOURS.dead(Duration.ZERO);
    private static final Retention NO_EXPIRED = HOURS.expired(Duration.ZERO);
    private static final Retention OLD_AT_ONCE = Retention.DEFAULT.unprocessed(Duration.ofMillis(1));

    // ---- the store --------------------------------------------------------------------------------------------------

    @Test
    void dead_and_expired_events_are_kept_for_as_long_as_told() {
        Ended ended = end("a", "b");
        assertThat(store.retain().sweep(SUBSCRIPTION, HOURS).drops()).isEmpty();
        assertThat(store.retain().sweep(SUBSCRIPTION, Retention.DEFAULT).drops())
                .isEmpty();
        assertThat(rows(Delivery.Status.DEAD))
                .extracting(Delivery::position)
                .containsExactly(ended.dead().position());
        assertThat(rows(Delivery.Status.EXPIRED))
                .extracting(Delivery::position)
                .containsExactly(ended.expired().position());
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 1, 1, 0), 0));
    }

    @Test
    void a_dead_event_is_let_go_after_its_time_and_counts_as_discarded() {
        Ended ended = end("a", "b");
        Retain.Swept swept = store.retain().sweep(SUBSCRIPTION, NO_DEAD);
        assertThat(rows(Delivery.Status.DEAD)).isEmpty();
        assertThat(rows(Delivery.Status.EXPIRED)).hasSize(1);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 1, 1), 0));
        assertThat(swept.drops()).isEqualTo(store.retain().drops(SUBSCRIPTION, 10));
        assertThat(swept.more()).isFalse();
        assertDrop(swept.drops(), Drop.Reason.DEAD, ended.dead());
        assertThat(store.operate()
                        .replay(SUBSCRIPTION, ended.dead().position(), BY)
                        .done())
                .isFalse();
    }

    @Test
    void an_expired_event_has_a_time_of_its_own() {
        Ended ended = end("a", "b");
        Retain.Swept swept = store.retain().sweep(SUBSCRIPTION, NO_EXPIRED);
        assertThat(rows(Delivery.Status.DEAD)).hasSize(1);
        assertThat(rows(Delivery.Status.EXPIRED)).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 1, 0, 1), 0));
        assertDrop(swept.drops(), Drop.Reason.EXPIRED, ended.expired());
    }

    @Test
    void a_row_whose_event_is_gone_is_let_go_on_record_with_the_time_of_its_end() {
        committed("ann", "a", "b");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(2);
        events.forEach(event -> fixture.lose(event.id()));
        Instant before = events.get(0).appendedAt();
        assertThat(reader.settle(
                        new Counts(0, 0, 0, 1, 1, 0),
                        List.of(
                                parked(events.get(0)).dead(1, Claim.ClaimedDelivery.GONE),
                                parked(events.get(1)).expired(0)),
                        List.of()))
                .isTrue();
        List<Drop> drops = store.retain()
                .sweep(SUBSCRIPTION, NO_DEAD.expired(Duration.ZERO))
                .drops();
        assertThat(drops).extracting(Drop::reason).containsExactly(Drop.Reason.DEAD, Drop.Reason.EXPIRED);
        assertThat(drops).extracting(Drop::events).containsExactly(1L, 1L);
        assertThat(drops)
                .extracting(Drop::from)
                .containsExactly(events.get(0).position(), events.get(1).position());
        assertThat(drops).allSatisfy(drop -> assertThat(drop.oldest()).isBetween(before, drop.at()));
        assertThat(store.retain().drops(SUBSCRIPTION, 10)).containsExactlyInAnyOrderElementsOf(drops);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 2), 0));
    }

    @Test
    void many_events_that_go_at_once_are_one_record_from_the_first_to_the_last() {
        committed("ann", numbered("n", 5));
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(reader.bury(events.stream().map(StoreCase::dead).toList())).isTrue();
        assertThat(store.retain().sweep(SUBSCRIPTION, NO_DEAD).drops())
                .singleElement()
                .satisfies(drop -> {
                    assertThat(drop.events()).isEqualTo(5);
                    assertThat(drop.from()).isEqualTo(events.get(0).position());
                    assertThat(drop.to()).isEqualTo(events.get(4).position());
                    assertThat(drop.oldest()).isEqualTo(events.get(0).appendedAt());
                    assertThat(drop.newest()).isEqualTo(events.get(4).appendedAt());
                });
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 5), 0));
    }

    @Test
    void a_sweep_takes_some_and_says_whether_there_may_be_more() {
        committed("ann", numbered("n", Retain.SWEPT_MAX + 1));
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(reader.bury(events.stream().map(StoreCase::dead).toList())).isTrue();
        Retain.Swept first = store.retain().sweep(SUBSCRIPTION, NO_DEAD);
        assertThat(first.more()).isTrue();
        assertThat(first.drops()).extracting(Drop::events).containsExactly((long) Retain.SWEPT_MAX);
        Retain.Swept second = store.retain().sweep(SUBSCRIPTION, NO_DEAD);
        assertThat(second.more()).isFalse();
        assertThat(second.drops()).extracting(Drop::events).containsExactly(1L);
        assertThat(store.retain().drops(SUBSCRIPTION, 10))
                .extracting(Drop::events)
                .containsExactly(1L, (long) Retain.SWEPT_MAX);
        assertThat(store.retain().drops(SUBSCRIPTION, 1)).isEqualTo(second.drops());
    }

    @Test
    void what_waits_and_what_is_anothers_is_never_let_go() {
        Ended ended = end("a", "b");
        committed("ann", "waits");
        StoredEvent waiting = ended.reader().drain(1).get(0);
        assertThat(ended.reader().park(List.of(parked(waiting)))).isTrue();
        assertThat(store.retain().sweep("another", NO_DEAD).drops()).isEmpty();
        assertThat(store.retain()
                        .sweep(SUBSCRIPTION, NO_DEAD.expired(Duration.ZERO))
                        .drops())
                .hasSize(2);
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 1, 0, 0, 2), 0));
        assertThat(rows(Delivery.Status.WAITING)).extracting(Delivery::position).containsExactly(waiting.position());
    }

    @Test
    void the_record_outlives_the_subscription() {
        end("a", "b");
        List<Drop> drops = store.retain().sweep(SUBSCRIPTION, NO_DEAD).drops();
        assertThat(drops).hasSize(1);
        assertThat(remove(SUBSCRIPTION)).isTrue();
        assertThat(store.retain().drops(SUBSCRIPTION, 10)).isEqualTo(drops);
    }

    // ---- the engine -------------------------------------------------------------------------------------------------

    @Test
    void a_node_carries_the_retention_of_its_subscriptions_out_and_tells_it() {
        List<Observation> told = new CopyOnWriteArrayList<>();
        Postrider<T> node = node(PostriderConfig.defaults()
                .limits(quick().pruneEvery(Duration.ofMillis(20)).build())
                .observer(told::add));
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters).retry(QUICK.attempts(1)).retention(NO_DEAD).start();
        send(node, "ann", "a1", "a2");
        assertLedger(new Counts(1, 0, 0, 0, 0, 1), 0);
        eventually()
                .holds(() -> assertThat(told)
                        .filteredOn(Observation.Dropped.class::isInstance)
                        .extracting(drop -> ((Observation.Dropped) drop).drop())
                        .isEqualTo(store.retain().drops(SUBSCRIPTION, 10)));
    }

    @Test
    void what_is_older_than_its_subscription_wants_is_given_up_visibly() {
        committed("ann", "old");
        pass(Duration.ofMillis(2));
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).retention(OLD_AT_ONCE).start();
        assertLedger(new Counts(0, 0, 0, 0, 1, 0), 0);
        assertThat(letters.started()).isEmpty();
        assertThat(rows(Delivery.Status.EXPIRED))
                .singleElement()
                .satisfies(row -> assertThat(row.attempt()).isZero());
    }

    @Test
    void what_is_young_enough_is_delivered() {
        committed("ann", "young");
        Letters letters = new Letters();
        letters(node(), letters)
                .retention(Retention.DEFAULT.unprocessed(Duration.ofHours(1)))
                .start();
        assertAllDelivered(1);
    }

    @Test
    void what_waits_in_a_row_is_given_up_when_it_has_become_too_old() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters)
                .retention(Retention.DEFAULT.unprocessed(Duration.ofMillis(400)))
                .start();
        send(node, "ann", "a1");
        assertLedger(new Counts(0, 0, 0, 0, 1, 0), 0);
        assertThat(rows(Delivery.Status.EXPIRED).get(0).attempt())
                .isEqualTo(letters.attempts("a1").size());
    }

    @Test
    void a_task_that_has_become_too_old_is_given_up() {
        committed("ann", "old");
        pass(Duration.ofMillis(2));
        Letters letters = new Letters();
        letters(node(), letters).queue(Queue.DEFAULT).retention(OLD_AT_ONCE).start();
        assertLedger(new Counts(0, 0, 0, 0, 1, 0), 0);
        assertThat(letters.started()).isEmpty();
    }

    @Test
    void what_was_given_up_can_be_replayed_and_is_not_given_up_again() {
        committed("ann", "old");
        pass(Duration.ofMillis(2));
        Postrider<T> node = node();
        Letters letters = new Letters().fail("old", 2);
        letters(node, letters).retention(OLD_AT_ONCE).start();
        assertLedger(new Counts(0, 0, 0, 0, 1, 0), 0);
        Position position = rows(Delivery.Status.EXPIRED).get(0).position();
        assertThat(store.operate().replay(SUBSCRIPTION, position, BY).done()).isTrue();
        assertAllDelivered(1);
        assertThat(letters.attempts("old")).containsExactly(1, 2, 3);
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    /** A lane with a dead event and an expired one. */
    private record Ended(LaneReader reader, StoredEvent dead, StoredEvent expired) {}

    private Ended end(String dead, String expired) {
        committed("ann", dead, expired);
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(2);
        assertThat(reader.settle(
                        new Counts(0, 0, 0, 1, 1, 0),
                        List.of(dead(events.get(0)), parked(events.get(1)).expired(0)),
                        List.of()))
                .isTrue();
        return new Ended(reader, events.get(0), events.get(1));
    }

    private static void assertDrop(List<Drop> drops, Drop.Reason reason, StoredEvent event) {
        assertThat(drops).singleElement().satisfies(drop -> {
            assertThat(drop.subscription()).isEqualTo(SUBSCRIPTION);
            assertThat(drop.reason()).isEqualTo(reason);
            assertThat(drop.events()).isEqualTo(1);
            assertThat(drop.from()).isEqualTo(event.position());
            assertThat(drop.to()).isEqualTo(event.position());
            assertThat(drop.oldest()).isEqualTo(event.appendedAt());
            assertThat(drop.newest()).isEqualTo(event.appendedAt());
        });
    }

    private void pass(Duration time) {
        Instant over = Instant.now().plus(time);
        eventually().holds(() -> assertThat(Instant.now()).isAfter(over));
    }
}
