package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Schedules: not before a time, not after another, and never silently. */
public abstract class ScheduleSuite<T> extends EngineCase<T> {
    private static final Duration SOON = Duration.ofMillis(1_500);
    /** Time enough to see what waits before it is due, however busy the machine is. */
    private static final Duration LATER = Duration.ofSeconds(6);

    private static final Duration LATE = Duration.ofHours(1);

    private final List<String> keys = keysBeside("ann", 2);

    @Test
    void an_event_is_not_delivered_before_its_time_and_others_do_not_wait_for_it() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        Instant wanted = in(SOON);
        send(node, List.of(letter("ann", "later").deliverAt(wanted), letter(keys.get(1), "now")));
        assertAllDelivered(2);
        assertThat(letters.delivered()).containsExactly("now", "later");
        assertThat(letters.startedAt("later")).isAfterOrEqualTo(wanted);
        assertThat(letters.attempts("later")).containsExactly(1);
        assertThat(letters.context("later").event().schedule().deliverAt()).isEqualTo(wanted);
    }

    @Test
    void later_events_of_its_key_wait_with_it() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, List.of(letter("ann", "a1"), letter("ann", "a2").deliverAt(in(LATER)), letter("ann", "a3")));
        assertDelivered(letters, "a1");
        send(node, "ann", "a4");
        assertLedger(new Counts(1, 0, 3, 0, 0, 0), 0);
        assertAllDelivered(4);
        assertThat(letters.delivered()).containsExactly("a1", "a2", "a3", "a4");
    }

    @Test
    void without_order_nobody_waits_for_another() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).unordered().start();
        send(node, List.of(letter("ann", "a1").deliverAt(in(LATE)), letter("ann", "a2")));
        assertLedger(new Counts(1, 0, 1, 0, 0, 0), 0);
        assertThat(letters.delivered()).containsExactly("a2");
    }

    @Test
    void what_is_wanted_later_does_not_fill_a_lane() {
        Postrider<T> node = node(quick().subscriptions(s -> s.parkedMax(3)));
        Letters letters = new Letters();
        letters(node, letters).start();
        List<String> sameLane = keysBeside("ann", 6);
        send(
                node,
                sameLane.subList(1, 6).stream()
                        .map(key -> letter(key, "later").deliverAt(in(LATE)))
                        .toList());
        assertLedger(new Counts(0, 0, 5, 0, 0, 0), 0);
        send(node, "ann", "now");
        assertDelivered(letters, "now");
    }

    @Test
    void an_event_whose_time_has_passed_is_not_dispatched_but_shown_and_its_key_goes_on() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, List.of(letter("ann", "a1").expiresAt(Instant.now().minusSeconds(1)), letter("ann", "a2")));
        assertLedger(new Counts(1, 0, 0, 0, 1, 0), 0);
        assertThat(letters.started()).containsExactly("a2");
        assertThat(rows(Delivery.Status.EXPIRED)).singleElement().satisfies(row -> {
            assertThat(row.attempt()).isZero();
            assertThat(row.schedule().expiresAt()).isNotNull();
        });
    }

    @Test
    void an_event_expires_while_an_earlier_one_of_its_key_runs() {
        Postrider<T> node = node();
        Gate gate = gate();
        Letters letters = new Letters().hold("a1", gate);
        letters(node, letters).start();
        Instant expiry = in(SOON);
        send(node, List.of(letter("ann", "a1"), letter("ann", "a2").expiresAt(expiry), letter("ann", "a3")));
        eventually().holds(() -> assertThat(Instant.now()).isAfter(expiry));
        gate.open();
        assertLedger(new Counts(2, 0, 0, 0, 1, 0), 0);
        assertThat(letters.started()).containsExactly("a1", "a3");
    }

    @Test
    void an_event_that_fails_until_its_time_has_passed_has_expired() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters).retry(QUICK.attempts(1_000)).start();
        send(node, List.of(letter("ann", "a1").expiresAt(in(SOON))));
        assertLedger(new Counts(0, 0, 0, 0, 1, 0), 0);
        Delivery row = rows(Delivery.Status.EXPIRED).get(0);
        assertThat(row.attempt()).isEqualTo(letters.attempts("a1").size());
        assertThat(row.error()).contains("undeliverable");
    }

    @Test
    void an_event_with_time_to_spare_does_not_expire() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        List<Event> events = IntStream.range(0, 50)
                .mapToObj(i -> letter("key-" + i, "n" + i).expiresAt(in(LATE)).priority(i))
                .toList();
        send(node, events);
        assertAllDelivered(50);
    }

    @Test
    void a_replay_delivers_an_expired_event_although_its_time_has_passed() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, List.of(letter("ann", "a1").expiresAt(Instant.now().minusSeconds(1))));
        assertLedger(new Counts(0, 0, 0, 0, 1, 0), 0);
        assertThat(store.operate()
                        .replay(
                                SUBSCRIPTION,
                                rows(Delivery.Status.EXPIRED).get(0).position(),
                                BY)
                        .done())
                .isTrue();
        assertAllDelivered(1);
    }

    /** As precise as every store keeps it. */
    private static Instant in(Duration time) {
        return Instant.now().plus(time).truncatedTo(ChronoUnit.MILLIS);
    }
}
