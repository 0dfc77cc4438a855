package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Queue;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import io.postrider.store.RefusedException;
import io.postrider.store.Settle;
import io.postrider.store.Settlement;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Data that a store refuses, or cannot read, is the fault of one event: that one is set aside where an operator sees
 * it, with the reason, and everything else goes on as if it were not there.
 *
 * @param <T> the store's transaction handle
 */
public abstract class RefusalSuite<T> extends EngineCase<T> {

    /** Appends in a transaction of its own; the events' ids. */
    private List<EventId> appended(Append.Entry... entries) {
        T transaction = fixture.begin();
        store.append().append(transaction, List.of(entries));
        fixture.commit(transaction);
        return Arrays.stream(entries).map(Append.Entry::id).toList();
    }

    private SubscriptionBuilder<T> letters(Letters letters, boolean queue) {
        SubscriptionBuilder<T> builder = letters(node(), letters);
        return queue ? builder.queue(Queue.DEFAULT) : builder;
    }

    // ---- read -------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_event_that_cannot_be_read_is_dead_and_all_others_are_delivered_once(boolean queue) {
        List<String> keys = keysBeside("ann", 3);
        List<EventId> ids =
                appended(entry(keys.get(0), "before"), entry(keys.get(1), "damaged"), entry(keys.get(2), "after"));
        fixture.damage(ids.get(1));
        Letters letters = new Letters();
        letters(letters, queue).start();
        Delivery dead = awaitDead();
        assertThat(dead.id()).isEqualTo(ids.get(1));
        assertThat(dead.error()).isNotBlank();
        assertThat(dead.attempt()).as("no dispatch began").isZero();
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
        assertThat(letters.started()).containsExactlyInAnyOrder("before", "after");
    }

    @ParameterizedTest
    @EnumSource(AfterDead.class)
    void what_follows_an_event_that_cannot_be_read_goes_on_by_the_policy(AfterDead afterDead) {
        List<EventId> ids = appended(entry("ann", "damaged"), entry("ann", "follower"));
        fixture.damage(ids.get(0));
        Letters letters = new Letters();
        letters(letters, false).afterDead(afterDead).start();
        awaitDead();
        boolean goesOn = afterDead == AfterDead.GO_ON;
        assertLedger(new Counts(goesOn ? 1 : 0, 0, goesOn ? 0 : 1, 1, 0, 0), 0);
        assertThat(letters.started()).hasSize(goesOn ? 1 : 0);
    }

    // ---- claim ------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(AfterDead.class)
    void a_row_whose_event_is_gone_is_dead_and_its_key_goes_on_by_the_policy(AfterDead afterDead) {
        List<EventId> ids = appended(entry("ann", "gone"), entry("ann", "follower"));
        Postrider<T> first = node();
        Letters failing = new Letters().failAlways("gone");
        letters(first, failing)
                .retry(QUICK.pauses(Duration.ofMillis(500), Duration.ofMillis(500)))
                .afterDead(afterDead)
                .start();
        eventually().holds(() -> assertThat(rows(Delivery.Status.WAITING)).hasSize(2));
        first.close();
        int attempts = failing.attempts("gone").size();
        fixture.lose(ids.get(0));
        Letters letters = new Letters();
        letters(letters, false).afterDead(afterDead).start();
        Delivery dead = awaitDead();
        assertThat(dead.id()).isEqualTo(ids.get(0));
        assertThat(dead.error()).isEqualTo(Claim.ClaimedDelivery.GONE);
        assertThat(dead.attempt()).as("it was not dispatched again").isLessThanOrEqualTo(attempts + 1);
        boolean goesOn = afterDead == AfterDead.GO_ON;
        assertLedger(new Counts(goesOn ? 1 : 0, 0, goesOn ? 0 : 1, 1, 0, 0), 0);
        assertThat(letters.started()).hasSize(goesOn ? 1 : 0);
    }

    @Test
    void a_task_whose_event_is_gone_is_dead_and_the_others_run() {
        List<EventId> ids = appended(entry("ann", "first"), entry("ann", "gone"), entry("ann", "last"));
        Gate gate = gate();
        Letters letters = new Letters().hold("first", gate);
        Postrider<T> node = node(quick().subscriptions(s -> s.concurrency(1)));
        letters(node, letters).queue(Queue.DEFAULT).start();
        eventually().holds(() -> assertThat(rows(Delivery.Status.READY)).hasSize(2));
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        fixture.lose(ids.get(1));
        gate.open();
        Delivery dead = awaitDead();
        assertThat(dead.id()).isEqualTo(ids.get(1));
        assertThat(dead.error()).isEqualTo(Claim.ClaimedDelivery.GONE);
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
        assertThat(letters.started()).containsExactly("first", "last");
    }

    @Test
    void a_row_that_the_store_refuses_to_claim_is_dead_and_those_beside_it_are_claimed() {
        List<String> keys = keysBeside("ann", 2);
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    boolean ofRows =
                            StorePorts.is(method, Claim.class, "claim") && call.arguments()[0] instanceof Ownership;
                    if (ofRows && rowsOf(keys.get(0)).anyMatch(((List<?>) call.arguments()[1])::contains)) {
                        throw new RefusedException("the row cannot be read");
                    }
                    return call.now();
                }),
                PostriderConfig.defaults().limits(quick().build()));
        closeAtEnd(node);
        Letters letters = new Letters().fail("bad", 1).fail("good", 1);
        letters(node, letters).start();
        send(node, List.of(letter(keys.get(0), "bad"), letter(keys.get(1), "good")));
        assertThat(awaitDead().error()).contains("the row cannot be read");
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.started()).containsExactlyInAnyOrder("bad", "good", "good");
    }

    private Stream<Position> rowsOf(String key) {
        return rows(Delivery.Status.WAITING).stream()
                .filter(row -> key.equals(row.key()))
                .map(Delivery::position);
    }

    // ---- settle -----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_event_whose_error_is_refused_is_tried_and_buried_by_the_policy_and_no_other_runs_twice(boolean queue) {
        fixture.refuseErrors("unspeakable");
        List<String> keys = keysBeside("ann", 5);
        appended(
                entry(keys.get(0), "a"),
                entry(keys.get(1), "b"),
                entry(keys.get(2), "unspeakable"),
                entry(keys.get(3), "c"),
                entry(keys.get(4), "d"));
        Letters letters = new Letters().failAlways("unspeakable");
        letters(letters, queue).retry(QUICK.attempts(3)).start();
        Delivery dead = awaitDead();
        assertThat(dead.attempt()).isEqualTo(3);
        assertThat(dead.error()).contains("refused by the store");
        assertLedger(new Counts(4, 0, 0, 1, 0, 0), 0);
        assertThat(letters.attempts("unspeakable")).containsExactly(1, 2, 3);
        for (String text : List.of("a", "b", "c", "d")) {
            assertThat(letters.attempts(text)).as(text).containsExactly(1);
        }
    }

    @Test
    void an_event_whose_row_is_refused_with_any_error_is_buried_with_the_reason() {
        fixture.refuseErrors("refused by the store");
        fixture.refuseErrors("undeliverable");
        appended(entry("ann", "bad"), entry("ann", "follower"));
        Letters letters = new Letters().failAlways("bad");
        letters(letters, false).start();
        assertThat(awaitDead().error()).startsWith("the store refuses its row");
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.started()).containsExactly("bad", "follower");
    }

    // ---- brake ------------------------------------------------------------------------------------------------------

    @Test
    void a_lane_that_gets_nowhere_is_claimed_with_longer_and_longer_pauses() {
        Duration longest = Duration.ofMillis(400);
        AtomicInteger lost = new AtomicInteger();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    boolean settles = StorePorts.is(method, Settle.class, "settle")
                            && ((Settlement) call.arguments()[0]).counts().delivered() > 0;
                    if (settles && lost.incrementAndGet() <= 6) {
                        throw new StoreException("this settlement does not arrive");
                    }
                    return call.now();
                }),
                PostriderConfig.defaults().limits(quick().backoffMax(longest).build()));
        closeAtEnd(node);
        Letters letters = new Letters();
        letters(node, letters).start();
        long begun = System.nanoTime();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThat(letters.started()).hasSize(7);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("50 ms, 100 ms, 200 ms, and then 400 ms twice")
                .isGreaterThan(Duration.ofMillis(1_150));
    }
}
