package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Order: per key one after the other, keys beside each other. */
public abstract class OrderSuite<T> extends EngineCase<T> {

    @Test
    void a_key_that_was_held_up_catches_up_many_events_at_a_time() {
        AtomicInteger settlements = new AtomicInteger();
        Postrider<T> node = node(PostriderConfig.defaults()
                .limits(quick().build())
                .observer(observation -> settlements.addAndGet(observation instanceof Observation.Settled ? 1 : 0)));
        Letters letters = new Letters().failAlways("n1");
        letters(node, letters).start();
        // Not by one statement: it could outrun a segment that is made meanwhile, where segments are small.
        List<String> texts = List.of(numbered("n", 200));
        for (int i = 0; i < 200; i += 25) {
            send(node, "ann", texts.subList(i, i + 25).toArray(String[]::new));
        }
        assertLedger(new Counts(0, 0, 200, 0, 0, 0), 0);
        settlements.set(0);
        letters.heal();
        assertAllDelivered(200);
        assertThat(letters.delivered("ann")).containsExactly(numbered("n", 200));
        assertThat(settlements.get()).isLessThan(40);
    }

    @Test
    void events_of_a_key_are_delivered_one_after_the_other_in_their_order() {
        Postrider<T> node = node(quick().subscriptions(s -> s.batchEvents(50)));
        Letters letters = new Letters();
        letters(node, letters).start();
        List<String> keys = List.of(numbered("key-", 12));
        for (int i = 0; i < 10; i++) {
            List<Event> events = new ArrayList<>();
            for (int j = 0; j < 4; j++) {
                String text = "n" + (4 * i + j);
                keys.forEach(key -> events.add(letter(key, key + ":" + text)));
            }
            send(node, events);
        }
        assertAllDelivered(480);
        assertThat(letters.overlapped()).isFalse();
        assertThat(letters.started()).hasSize(480);
        assertThat(keys)
                .allSatisfy(
                        key -> assertThat(letters.delivered(key)).containsExactly(numberedFromZero(key + ":n", 40)));
    }

    @Test
    void keys_run_beside_each_other() {
        Postrider<T> node = node();
        Gate gate = gate();
        List<String> keys = keysBeside("ann", 3);
        Letters letters = new Letters().hold("a", gate).hold("b", gate).hold("c", gate);
        send(node, List.of(letter(keys.get(0), "a"), letter(keys.get(1), "b"), letter(keys.get(2), "c")));
        letters(node, letters).start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(3));
        gate.open();
        assertAllDelivered(3);
    }

    @Test
    void an_unordered_subscription_runs_events_of_one_key_at_the_same_time() {
        Postrider<T> node = node();
        Gate gate = gate();
        Letters letters = new Letters().hold("a", gate).hold("b", gate);
        send(node, "ann", "a", "b", "c");
        letters(node, letters).unordered().start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(2));
        assertDelivered(letters, "c");
        gate.open();
        assertAllDelivered(3);
        assertThat(letters.overlapped()).isTrue();
    }

    @Test
    void a_failing_event_blocks_its_key_and_no_other() {
        Postrider<T> node = node();
        List<String> keys = keysBeside("ann", 2);
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters).start();
        send(node, keys.get(0), "a1", "a2");
        send(node, keys.get(1), "b1");
        send(node, keys.get(0), "a3");
        send(node, keys.get(1), "b2");
        assertDelivered(letters, "b1", "b2");
        eventually().holds(() -> assertThat(letters.attempts("a1")).hasSizeGreaterThan(3));
        assertThat(letters.started()).doesNotContain("a2", "a3");
        letters.heal();
        assertAllDelivered(5);
        assertThat(letters.delivered(keys.get(0))).containsExactly("a1", "a2", "a3");
        assertThat(letters.overlapped()).isFalse();
    }

    @Test
    void an_unordered_subscription_passes_a_failing_event() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a");
        letters(node, letters).unordered().start();
        send(node, "ann", "a", "b", "c");
        assertDelivered(letters, "b", "c");
        letters.heal();
        assertAllDelivered(3);
        assertThat(letters.delivered()).endsWith("a");
    }

    @Test
    void events_without_a_key_are_in_nobodys_way() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a");
        letters(node, letters).start();
        send(node, List.of(Event.of(TYPE, "a"), Event.of(TYPE, "b"), Event.of(TYPE, "c")));
        assertDelivered(letters, "b", "c");
        letters.heal();
        assertAllDelivered(3);
    }

    private static String[] numberedFromZero(String prefix, int count) {
        String[] texts = new String[count];
        for (int i = 0; i < count; i++) {
            texts[i] = prefix + i;
        }
        return texts;
    }
}
