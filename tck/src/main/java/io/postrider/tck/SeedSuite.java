package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.policy.AfterDead;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the requirements themselves ask to be tested of an engine; each name begins with the requirement's id. */
public abstract class SeedSuite<T> extends EngineCase<T> {

    // ---- A16: the five tests of the chat ----------------------------------------------------------------------------

    @Test
    void a16_state_and_event_are_written_in_one_transaction() {
        LaneReader reader = reader("chat-1");
        T transaction = fixture.begin();
        append(transaction, "chat-1", "message");
        assertThat(reader.drain()).isEmpty();
        append(transaction, "chat-1", "announcement");
        fixture.commit(transaction);
        assertThat(reader.drain()).containsExactly("message", "announcement");
    }

    @Test
    void a16_a_rollback_leaves_neither() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        T transaction = fixture.begin();
        append(transaction, "chat-1", "message", "announcement");
        fixture.rollback(transaction);
        send(node, "chat-1", "after");
        assertAllDelivered(1);
        assertThat(letters.started()).containsExactly("after");
    }

    @Test
    void a16_a_commit_makes_a_pending_event_that_is_published_later() {
        register();
        committed("chat-1", "message");
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(Counts.NONE, 1));
        Letters letters = new Letters();
        letters(node(), letters).start();
        assertAllDelivered(1);
        assertThat(letters.delivered()).containsExactly("message");
    }

    @Test
    void a16_an_error_of_the_publisher_raises_the_retry_count_and_loses_nothing() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("message");
        letters(node, letters).start();
        send(node, "chat-1", "message");
        eventually()
                .holds(() -> assertThat(rows(Delivery.Status.WAITING))
                        .singleElement()
                        .satisfies(row -> {
                            assertThat(row.attempt()).isGreaterThan(2);
                            assertThat(row.error()).contains("undeliverable");
                        }));
        assertThat(store.browse().ledger(SUBSCRIPTION).appended()).isEqualTo(1);
        letters.heal();
        assertAllDelivered(1);
        assertThat(letters.delivered()).containsExactly("message");
    }

    @Test
    void a16_a_repeated_publish_makes_no_duplicate_in_the_state_of_the_client() {
        Postrider<T> node = node();
        Map<EventId, String> client = new ConcurrentHashMap<>();
        AtomicInteger published = new AtomicInteger();
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, (text, context) -> {
                    client.put(context.id(), text);
                    if (published.incrementAndGet() == 1) {
                        throw new IllegalStateException("the acknowledgement was lost");
                    }
                })
                .retry(QUICK)
                .start();
        send(node, "chat-1", "message");
        assertAllDelivered(1);
        assertThat(published).hasValue(2);
        assertThat(client).hasSize(1).containsValue("message");
    }

    // ---- B: the worker of the outbox --------------------------------------------------------------------------------

    @Test
    void b5_after_so_many_errors_retries_stop_and_an_administrator_decides() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("payout");
        letters(node, letters).retry(QUICK.attempts(3)).start();
        send(node, "team-5", "payout");
        Delivery dead = awaitDead();
        assertThat(letters.attempts("payout")).containsExactly(1, 2, 3);
        letters.heal();
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position(), BY).done())
                .isTrue();
        assertAllDelivered(1);
    }

    @Test
    void b8_a_corrupted_payload_is_marked_and_passed_over() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).retry(QUICK.attempts(2)).start();
        send(node, List.of(Event.of(TYPE, Map.of("not", "a text")).key("team-5"), letter("team-5", "b")));
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.delivered()).containsExactly("b");
        assertThat(awaitDead().error()).isNotBlank();
    }

    // ---- C: the library -----------------------------------------------------------------------------------------

    @Test
    void c4_failed_events_are_kept_in_the_same_table_or_in_dead_events() {
        Postrider<T> node = node(quick().pruneEvery(Duration.ofMillis(20)));
        start(node, "same", Retention.DEFAULT);
        start(node, "apart", Retention.DEFAULT.deadLetters(DeadLetters.MOVED));
        send(node, "order-1", "broken");
        for (String name : List.of("same", "apart")) {
            eventually().holds(() -> assertThat(dead(name)).hasSize(1));
        }
        eventually()
                .holds(() -> assertThat(store.deadEvents().list("apart", DeadEvent.Status.PENDING, Position.ZERO, 10))
                        .hasSize(1));
        assertThat(store.deadEvents().list("same", DeadEvent.Status.PENDING, Position.ZERO, 10))
                .isEmpty();
        assertThat(dead("apart")).hasSize(1);
    }

    @Test
    void c6_events_of_one_group_are_processed_in_sequence() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("n1", 2);
        letters(node, letters).start();
        send(node, "order-1", numbered("n", 20));
        assertAllDelivered(20);
        assertThat(letters.delivered("order-1")).containsExactly(numbered("n", 20));
        assertThat(letters.overlapped()).isFalse();
    }

    @Test
    void c10_processed_events_are_cleaned_up_right_after_processing() {
        Postrider<T> node = node(quick().retain(Duration.ZERO).pruneEvery(Duration.ofMillis(20)));
        Letters letters = new Letters();
        letters(node, letters).start();
        int events = 3 * fixture.segmentEvents() + 20;
        send(node, "order-1", numbered("n", events));
        assertAllDelivered(events);
        eventually().holds(() -> {
            LaneReader probe = reader("probe", Start.beginning(), "order-1");
            remove("probe");
            assertThat(probe.drain(LaneReader.MANY)).hasSizeLessThanOrEqualTo(fixture.segmentEvents());
        });
    }

    // ---- D, E: order and leases -----------------------------------------------------------------------------------

    @Test
    void d9_order_survives_a_restart() {
        Postrider<T> first = node();
        Letters letters = new Letters().failAlways("n2");
        letters(first, letters).afterDead(AfterDead.STAY_BLOCKED).start();
        send(first, "task-1", "n1", "n2", "n3");
        eventually().holds(() -> assertThat(letters.attempts("n2")).isNotEmpty());
        first.close();
        letters.heal();
        letters(node(), letters).afterDead(AfterDead.STAY_BLOCKED).start();
        assertAllDelivered(3);
        assertThat(letters.delivered()).containsExactly("n1", "n2", "n3");
    }

    @Test
    void e2_an_expired_lease_is_claimed_again_and_each_claim_counts_an_attempt() {
        committed("page-1", "render");
        LaneReader reader = reader("page-1");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(Delivery.task(event, someTime())))).isTrue();
        Tasks.Claimant crashes = new Tasks.Claimant(
                NODE, SUBSCRIPTION, Duration.ofMillis(1), Queue.DEFAULT.expiresSoon(), Tasks.Types.ALL);
        assertThat(store.tasks().claim(crashes, 1))
                .extracting(claimed -> claimed.delivery().attempt())
                .containsExactly(1);
        Tasks.Claimant next =
                new Tasks.Claimant(OTHER_NODE, SUBSCRIPTION, LONG_LEASE, Queue.DEFAULT.expiresSoon(), Tasks.Types.ALL);
        List<Claim.ClaimedDelivery> again = eventually().gives(() -> {
            store.tasks().prepare(SUBSCRIPTION);
            List<Claim.ClaimedDelivery> claimed = store.tasks().claim(next, 1);
            assertThat(claimed).hasSize(1);
            return claimed;
        });
        assertThat(again.get(0).delivery().attempt()).isEqualTo(2);
    }

    private void start(Postrider<T> node, String name, Retention retention) {
        node.subscribe(name)
                .on("letter.*", String.class, new Letters().failAlways("broken"))
                .retry(QUICK.attempts(1))
                .retention(retention)
                .start();
    }

    private List<Delivery> dead(String subscription) {
        return store.browse().deliveries(subscription, Delivery.Status.DEAD, Position.ZERO, 10);
    }
}
