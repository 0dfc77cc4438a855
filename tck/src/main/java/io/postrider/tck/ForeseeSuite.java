package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.StoredEvent;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.Schedule;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Foresee;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Foresee: what waits and will expire is seen before it has, and told. */
public abstract class ForeseeSuite<T> extends EngineCase<T> {
    private static final Duration SOON = Duration.ofMinutes(1);
    private final List<Observation> told = new CopyOnWriteArrayList<>();

    // ---- the store --------------------------------------------------------------------------------------------------

    @Test
    void unread_events_that_expire_are_seen_with_how_many_come_before() {
        Instant expiry = someTime().plus(SOON);
        appended(null, null, expiry, null);
        register();
        Foresee.Outlook outlook = store.foresee().events(SUBSCRIPTION);
        assertThat(outlook.counts()).isEqualTo(Counts.NONE);
        assertThat(outlook.waiting()).isNotEmpty().allSatisfy(one -> {
            assertThat(one.expiresAt()).isEqualTo(expiry);
            assertThat(one.before()).isGreaterThanOrEqualTo(3);
        });
    }

    @Test
    void what_was_read_is_not_seen_any_more_and_counts() {
        appended(someTime().plus(SOON));
        LaneReader reader = reader("ann");
        assertThat(store.foresee().events(SUBSCRIPTION).waiting()).isNotEmpty();
        reader.drain(1);
        assertThat(reader.settle(1)).isTrue();
        assertThat(store.foresee().events(SUBSCRIPTION))
                .isEqualTo(new Foresee.Outlook(new Counts(1, 0, 0, 0, 0, 0), List.of()));
    }

    @Test
    void what_the_subscription_does_not_take_and_what_had_expired_at_its_append_is_not_seen() {
        T transaction = fixture.begin();
        store.append()
                .append(
                        transaction,
                        List.of(
                                expiring("parcel.sent", Headers.NONE, SOON),
                                expiring("letter.sent", Headers.NONE.with(Headers.ONLY_FOR, "other"), SOON),
                                expiring("letter.sent", Headers.NONE, SOON.negated())));
        fixture.commit(transaction);
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "letter.*");
        assertThat(store.foresee().events(SUBSCRIPTION).waiting()).isEmpty();
        store.subscriptions().register("parcels", Start.beginning(), "parcel.*");
        assertThat(store.foresee().events("parcels").waiting()).isNotEmpty();
    }

    private Append.Entry expiring(String type, Headers headers, Duration in) {
        Schedule schedule = new Schedule(null, someTime().plus(in), 0);
        return new Append.Entry(drawId(), type, "ann", "1", headers, null, schedule);
    }

    @Test
    void events_far_behind_the_cursor_are_seen_too() {
        Instant expiry = someTime().plus(SOON);
        committed("ann", numbered("n", 500));
        appended(Collections.nCopies(600, expiry).toArray(Instant[]::new));
        register();
        assertThat(store.foresee().events(SUBSCRIPTION).waiting()).isNotEmpty().allSatisfy(one -> {
            assertThat(one.before()).isGreaterThan(500);
            assertThat(one.expiresAt()).isEqualTo(expiry);
        });
    }

    @Test
    void tasks_that_expire_are_seen_the_soonest_first() {
        Instant soon = someTime().plus(SOON);
        appended(soon.plusSeconds(2), null, soon, soon.plusSeconds(1));
        LaneReader reader = reader("ann");
        List<Delivery> tasks = reader.drain(10).stream()
                .map(event -> Delivery.task(event, someTime()))
                .toList();
        assertThat(reader.park(tasks)).isTrue();
        assertThat(store.foresee().tasks(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 4, 0, 0, 0));
        assertThat(store.foresee().tasks(SUBSCRIPTION).waiting())
                .contains(new Foresee.Waiting(1, soon), new Foresee.Waiting(3, soon.plusSeconds(2)));
    }

    @Test
    void a_dead_task_and_one_that_is_another_subscriptions_are_not_seen() {
        Instant soon = someTime().plus(SOON);
        appended(soon);
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        store.subscriptions().register("other", Start.beginning(), FILTER);
        assertThat(reader.park(List.of(Delivery.task(event, someTime())))).isTrue();
        assertThat(store.foresee().tasks(SUBSCRIPTION).waiting()).hasSize(1);
        assertThat(store.foresee().tasks("other").waiting()).isEmpty();
        assertThat(reader.settle(new Counts(0, 0, -1, 1, 0, 0), List.of(dead(event)), List.of()))
                .isTrue();
        assertThat(store.foresee().tasks(SUBSCRIPTION).waiting()).isEmpty();
    }

    // ---- the engine -------------------------------------------------------------------------------------------------

    @Test
    void a_lane_that_is_too_slow_for_what_waits_is_told_and_told_again_when_it_is_not() {
        Gate gate = gate();
        Letters letters = new Letters().hold("slow", gate);
        Postrider<T> node = observed(quick().subscriptions(s -> s.batchEvents(1)));
        letters(node, letters).start();
        assertThreatenedUntil(node, gate);
    }

    @Test
    void a_queue_that_is_too_slow_for_its_tasks_is_told_and_told_again_when_it_is_not() {
        Gate gate = gate();
        Letters letters = new Letters().hold("slow", gate);
        Postrider<T> node = observed(quick().subscriptions(s -> s.concurrency(1)));
        letters(node, letters).queue(Queue.DEFAULT).start();
        assertThreatenedUntil(node, gate);
    }

    @Test
    void what_has_time_enough_is_not_told() {
        Gate gate = gate();
        Letters letters = new Letters().hold("slow", gate);
        Postrider<T> node = observed(quick().subscriptions(s -> s.concurrency(1)));
        letters(node, letters).queue(Queue.DEFAULT).start();
        send(node, List.of(letter("ann", "slow").expiresAt(someTime().plus(Duration.ofDays(300)))));
        send(node, List.of(letter("bob", "next").expiresAt(someTime().plus(Duration.ofDays(300)))));
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        gate.open();
        assertAllDelivered(2);
        assertThat(threats()).isEmpty();
    }

    /** Events of one key behind one that does not end: far more than can be done before they expire. */
    private void assertThreatenedUntil(Postrider<T> node, Gate gate) {
        Instant expiry = someTime().plus(Duration.ofSeconds(30));
        send(node, List.of(letter("ann", "slow").priority(100).expiresAt(expiry)));
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        List<Event> behind = IntStream.range(0, 2_000)
                .mapToObj(number -> letter("ann", "n" + number).expiresAt(expiry))
                .toList();
        send(node, behind);
        eventually()
                .holds(() -> assertThat(threats())
                        .isNotEmpty()
                        .last()
                        .satisfies(threat -> assertThat(threat.shortBy()).isPositive()));
        gate.open();
        eventually()
                .holds(() -> assertThat(threats())
                        .last()
                        .satisfies(threat -> assertThat(threat.shortBy()).isZero()));
    }

    private List<Observation.ExpiryThreatened> threats() {
        return told.stream()
                .filter(Observation.ExpiryThreatened.class::isInstance)
                .map(Observation.ExpiryThreatened.class::cast)
                .toList();
    }

    private Postrider<T> observed(NodeLimits.Builder limits) {
        return node(PostriderConfig.defaults()
                .limits(limits.pruneEvery(Duration.ofMillis(50))
                        .subscriptions(s -> s.settleAfter(Duration.ofMinutes(1)))
                        .build())
                .observer(told::add));
    }

    /** Events of one key in a row, with these expiries. */
    private void appended(@Nullable Instant... expiries) {
        T transaction = fixture.begin();
        for (@Nullable Instant expiry : expiries) {
            Append.Entry entry = entry("ann", "a");
            store.append()
                    .append(
                            transaction,
                            List.of(new Append.Entry(
                                    entry.id(),
                                    entry.type(),
                                    entry.key(),
                                    entry.payload(),
                                    entry.headers(),
                                    null,
                                    Schedule.NONE.expiresAt(expiry))));
        }
        fixture.commit(transaction);
    }
}
