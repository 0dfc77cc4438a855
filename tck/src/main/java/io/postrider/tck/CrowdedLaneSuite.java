package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Why;
import io.postrider.policy.AfterDead;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Crowded lanes: an owner holds some of its lane's delivery rows, and order is kept as if it held all. */
public abstract class CrowdedLaneSuite<T> extends EngineCase<T> {
    private static final Duration LATE = Duration.ofHours(1);
    /** Letters with this text are dead at once. */
    private static final String UNWANTED = "unwanted";

    private final List<String> keys = keysBeside("ann", 8);

    @Test
    void more_scheduled_events_than_an_owner_holds_are_delivered_each_in_its_order() {
        Postrider<T> node = node(quick().subscriptions(s -> s.parkedHeld(2)));
        Letters letters = new Letters();
        letters(node, letters).start();
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Instant wanted = in(Duration.ofMillis(300 + 20L * ((i * 5) % keys.size())));
            events.add(letter(keys.get(i), "first").deliverAt(wanted));
            events.add(letter(keys.get(i), "second"));
        }
        send(node, events);
        for (String key : keys) {
            send(node, key, "third");
        }
        assertAllDelivered(3 * keys.size());
        assertThat(keys)
                .allSatisfy(key -> assertThat(letters.delivered(key)).containsExactly("first", "second", "third"));
    }

    @Test
    void an_event_waits_for_one_of_its_key_of_which_only_the_store_knows() {
        Postrider<T> node = node(quick().subscriptions(s -> s.parkedHeld(1)));
        Letters letters = new Letters();
        letters(node, letters).start();
        List<String> scheduled = keys.subList(0, 6);
        send(
                node,
                IntStream.range(0, 6)
                        .mapToObj(i -> letter(scheduled.get(i), "later").deliverAt(in(LATE.plusMinutes(i))))
                        .toList());
        assertLedger(new Counts(0, 0, 6, 0, 0, 0), 0);
        scheduled.forEach(key -> send(node, key, "behind"));
        send(node, keys.get(7), "now");
        assertLedger(new Counts(1, 0, 12, 0, 0, 0), 0);
        assertThat(letters.started()).containsExactly("now");
    }

    @Test
    void keys_whose_dead_events_were_discarded_keep_their_order_before_their_owner_hears_of_it() {
        Postrider<T> node = node(quick().subscriptions(s -> s.parkedHeld(1)).lease(LONG_LEASE));
        Letters letters = new Letters().failAlways("other");
        startBuryingUnwanted(node, letters);
        List<String> blocked = keys.subList(0, 3);
        blocked.forEach(key -> send(node, key, UNWANTED, "first"));
        List<String> others = keys.subList(3, 5);
        others.forEach(key -> send(node, key, "other"));
        assertLedger(new Counts(0, 0, 5, 3, 0, 0), 0);
        rows(Delivery.Status.DEAD).forEach(dead -> store.operate().discard(SUBSCRIPTION, dead.position(), BY));
        letters.heal();
        eventually()
                .holds(() -> assertThat(others)
                        .allSatisfy(key -> assertThat(letters.delivered(key)).containsExactly("other")));
        blocked.forEach(key -> send(node, key, "second"));
        eventually()
                .holds(() -> assertThat(blocked)
                        .allSatisfy(key -> assertThat(letters.delivered(key)).contains("second")));
        assertThat(blocked).allSatisfy(key -> assertThat(letters.delivered(key)).containsExactly("first", "second"));
    }

    @Test
    void events_behind_a_scheduled_one_wait_for_it_when_earlier_ones_of_their_key_are_replayed() {
        Letters letters = new Letters().failAlways("a").failAlways("b");
        Postrider<T> first = node(quick().subscriptions(s -> s.parkedHeld(3)));
        letters(first, letters).retry(QUICK.attempts(1)).start();
        send(first, "ann", "a", "b");
        assertLedger(new Counts(0, 0, 0, 2, 0, 0), 0);
        send(
                first,
                List.of(
                        letter(keys.get(1), "held").deliverAt(in(LATE)),
                        letter(keys.get(2), "not held").deliverAt(in(LATE.plusMinutes(1))),
                        letter("ann", "c").deliverAt(in(LATE.plusMinutes(2))),
                        letter("ann", "d")));
        assertLedger(new Counts(0, 0, 4, 2, 0, 0), 0);
        first.close();
        letters.heal();
        rows(Delivery.Status.DEAD).forEach(dead -> store.operate().replay(SUBSCRIPTION, dead.position(), BY));
        Postrider<T> second = node(quick().subscriptions(s -> s.parkedHeld(3)));
        letters(second, letters).start();
        assertDelivered(letters, "a", "b");
        for (String batch : List.of("one batch", "another")) {
            send(second, keys.get(3), batch);
            assertDelivered(letters, batch);
        }
        assertThat(letters.delivered("ann")).containsExactly("a", "b");
    }

    private static <T> void startBuryingUnwanted(Postrider<T> node, Letters letters) {
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, (text, context) -> {
                    if (text.equals(UNWANTED)) {
                        throw new IllegalArgumentException(text);
                    }
                    letters.handle(text, context);
                })
                .retry(QUICK.fatal(IllegalArgumentException.class))
                .afterDead(AfterDead.STAY_BLOCKED)
                .start();
    }

    @Test
    void a_key_that_fails_blocks_itself_and_not_its_lane_however_many_events_it_has() {
        Postrider<T> node =
                node(quick().subscriptions(s -> s.parkedMax(3).parkedHeld(2).batchEvents(5)));
        Letters letters = new Letters().failAlways("n1");
        letters(node, letters).start();
        send(node, "ann", numbered("n", 40));
        assertLedger(new Counts(0, 0, 40, 0, 0, 0), 0);
        send(node, keys.get(1), "other");
        assertDelivered(letters, "other");
        List<Delivery> waiting = rows(Delivery.Status.WAITING);
        EventId last = waiting.get(waiting.size() - 1).id();
        assertThat(store.search().why(SUBSCRIPTION, last)).isInstanceOf(Why.BlockedBy.class);
        letters.heal();
        assertAllDelivered(41);
        assertThat(letters.delivered("ann")).containsExactly(numbered("n", 40));
    }

    @Test
    void rows_behind_others_are_bounded_and_a_lane_says_so_when_it_is_full_of_them() {
        List<Observation.Full> told = new CopyOnWriteArrayList<>();
        Postrider<T> node = node(PostriderConfig.defaults()
                .limits(quick().subscriptions(s -> s.parkedBehindMax(5).batchEvents(2))
                        .build())
                .observer(observation -> {
                    if (observation instanceof Observation.Full full) {
                        told.add(full);
                    }
                }));
        Letters letters = new Letters().failAlways("n1");
        send(node, "ann", numbered("n", 40));
        letters(node, letters).start();
        eventually()
                .holds(() -> assertThat(told).extracting(Observation.Full::full).containsExactly(true));
        assertThat(store.browse().ledger(SUBSCRIPTION).counts().parked()).isBetween(6L, 8L);
        letters.heal();
        assertAllDelivered(40);
        assertThat(letters.delivered("ann")).containsExactly(numbered("n", 40));
    }

    private static Instant in(Duration time) {
        return Instant.now().plus(time).truncatedTo(ChronoUnit.MILLIS);
    }
}
