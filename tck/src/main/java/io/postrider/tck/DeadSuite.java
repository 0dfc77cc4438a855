package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.AfterDead;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Dead events: what follows them, and what an operator's decision changes. */
public abstract class DeadSuite<T> extends EngineCase<T> {
    private final List<String> keys = keysBeside("ann", 2);

    @Test
    void what_follows_a_dead_event_is_delivered_if_it_is_to_go_on() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a1");
        start(node, letters, AfterDead.GO_ON);
        send(node, "ann", "a1", "a2");
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        send(node, "ann", "a3");
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
        assertThat(letters.delivered()).containsExactly("a2", "a3");
    }

    @Test
    void what_follows_a_dead_event_waits_if_it_is_to_stay_blocked() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a1");
        start(node, letters, AfterDead.STAY_BLOCKED);
        assertBlocked(node, letters);
    }

    @Test
    void what_is_blocked_stays_so_under_the_next_owner() {
        Postrider<T> first = node();
        Letters letters = new Letters().failAlways("a1");
        start(first, letters, AfterDead.STAY_BLOCKED);
        assertBlocked(first, letters);
        first.close();
        Postrider<T> second = node();
        start(second, letters, AfterDead.STAY_BLOCKED);
        send(second, "ann", "a3");
        send(second, keys.get(1), "b2");
        assertDelivered(letters, "b2");
        assertLedger(new Counts(2, 0, 2, 1, 0, 0), 0);
        assertThat(letters.started()).doesNotContain("a2", "a3");
        letters.heal();
        assertThat(store.operate()
                        .replay(SUBSCRIPTION, awaitDead().position(), BY)
                        .done())
                .isTrue();
        assertAllDelivered(5);
        assertThat(letters.delivered("ann")).containsExactly("a1", "a2", "a3");
    }

    @Test
    void a_replay_delivers_a_dead_event_in_its_place() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a1");
        start(node, letters, AfterDead.STAY_BLOCKED);
        assertBlocked(node, letters);
        letters.heal();
        assertThat(store.operate()
                        .replay(SUBSCRIPTION, awaitDead().position(), BY)
                        .done())
                .isTrue();
        assertAllDelivered(3);
        assertThat(letters.delivered("ann")).containsExactly("a1", "a2");
        assertThat(letters.attempts("a1")).endsWith(1);
    }

    @Test
    void a_replay_of_an_event_that_still_fails_buries_it_again() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a1");
        start(node, letters, AfterDead.GO_ON);
        send(node, "ann", "a1");
        assertThat(store.operate()
                        .replay(SUBSCRIPTION, awaitDead().position(), BY)
                        .done())
                .isTrue();
        eventually().holds(() -> assertThat(letters.attempts("a1")).containsExactly(1, 2, 1, 2));
        assertLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
        assertThat(awaitDead().attempt()).isEqualTo(2);
    }

    @Test
    void a_discard_lets_a_dead_event_go_and_its_key_go_on() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a1");
        start(node, letters, AfterDead.STAY_BLOCKED);
        assertBlocked(node, letters);
        assertThat(store.operate()
                        .discard(SUBSCRIPTION, awaitDead().position(), BY)
                        .done())
                .isTrue();
        assertLedger(new Counts(2, 0, 0, 0, 0, 1), 0);
        assertThat(letters.delivered("ann")).containsExactly("a2");
        assertThat(rows(Delivery.Status.DEAD)).isEmpty();
    }

    @Test
    void a_decision_that_nobody_was_there_for_counts_when_someone_is() {
        Postrider<T> first = node();
        Letters letters = new Letters().failAlways("a1").failAlways("b1");
        start(first, letters, AfterDead.GO_ON);
        send(first, "ann", "a1");
        Delivery discarded = awaitDead();
        send(first, keys.get(1), "b1");
        eventually().holds(() -> assertThat(rows(Delivery.Status.DEAD)).hasSize(2));
        Delivery replayed = rows(Delivery.Status.DEAD).get(1);
        first.close();
        letters.heal();
        assertThat(store.operate()
                        .discard(SUBSCRIPTION, discarded.position(), BY)
                        .done())
                .isTrue();
        assertThat(store.operate().replay(SUBSCRIPTION, replayed.position(), BY).done())
                .isTrue();
        start(node(), letters, AfterDead.GO_ON);
        assertLedger(new Counts(1, 0, 0, 0, 0, 1), 0);
        assertThat(letters.delivered()).containsExactly("b1");
    }

    private void start(Postrider<T> node, Letters letters, AfterDead afterDead) {
        SubscriptionBuilder<T> subscription =
                letters(node, letters).retry(QUICK.attempts(2)).afterDead(afterDead);
        subscription.start();
    }

    /** With a1 dead, a2 waits although b1, which was sent after it, has been delivered. */
    private void assertBlocked(Postrider<T> node, Letters letters) {
        send(node, "ann", "a1");
        awaitDead();
        send(node, "ann", "a2");
        send(node, keys.get(1), "b1");
        assertDelivered(letters, "b1");
        assertLedger(new Counts(1, 0, 1, 1, 0, 0), 0);
        assertThat(letters.started()).doesNotContain("a2");
    }
}
