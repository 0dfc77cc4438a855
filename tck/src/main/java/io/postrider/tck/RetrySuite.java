package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.UnreadableException;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import io.postrider.policy.RetryPolicy;
import io.postrider.text.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Retry: how often, when, and when no more. */
public abstract class RetrySuite<T> extends EngineCase<T> {
    /** Parked events of this policy come back in another test, if ever. */
    private static final RetryPolicy SLOW = RetryPolicy.DEFAULT.pauses(Duration.ofHours(1), Duration.ofHours(1));

    @Test
    void a_failed_event_is_tried_again_until_it_succeeds() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("a", 3);
        letters(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1, 2, 3, 4);
        assertThat(rows(Delivery.Status.WAITING)).isEmpty();
    }

    @Test
    void a_failed_event_is_parked_with_its_error_until_it_is_due() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a");
        letters(node, letters).retry(SLOW).start();
        send(node, "ann", "a");
        assertLedger(new Counts(0, 0, 1, 0, 0, 0), 0);
        assertThat(rows(Delivery.Status.WAITING)).singleElement().satisfies(row -> {
            assertThat(row.attempt()).isEqualTo(1);
            assertThat(row.error()).contains("a is undeliverable");
            assertThat(row.dueAt()).isAfter(Instant.now().plus(Duration.ofMinutes(30)));
        });
    }

    @Test
    void an_event_whose_attempts_are_used_up_is_dead_and_its_key_goes_on() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a");
        letters(node, letters).retry(QUICK.attempts(3)).start();
        send(node, "ann", "a", "b");
        assertDelivered(letters, "b");
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.attempts("a")).containsExactly(1, 2, 3);
        Delivery dead = awaitDead();
        assertThat(dead.attempt()).isEqualTo(3);
        assertThat(dead.error()).contains("a is undeliverable");
        assertThat(dead.key()).isEqualTo("ann");
    }

    @Test
    void immediate_retries_follow_at_once_and_park_nothing() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("a", 2).failAlways("b");
        letters(node, letters).retry(SLOW.immediate(2)).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1, 2, 3);
        send(node, "ann", "b");
        assertLedger(new Counts(1, 0, 1, 0, 0, 0), 0);
        assertThat(letters.attempts("b")).containsExactly(1, 2, 3);
        assertThat(rows(Delivery.Status.WAITING))
                .singleElement()
                .satisfies(row -> assertThat(row.attempt()).isEqualTo(3));
    }

    @Test
    void a_type_may_have_a_policy_of_its_own() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a").fail("b", 4);
        letters(node, letters)
                .retry("letter.urgent", RetryPolicy.DEFAULT.attempts(1))
                .start();
        send(node, List.of(Event.of("letter.urgent", "a"), Event.of("letter.usual", "b")));
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.attempts("a")).containsExactly(1);
        assertThat(letters.attempts("b")).hasSize(5);
    }

    @Test
    void an_exception_that_no_retry_can_heal_is_the_end_at_once() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a");
        letters(node, letters).retry(QUICK.fatal(RuntimeException.class)).start();
        send(node, "ann", "a", "b");
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.attempts("a")).containsExactly(1);
        assertThat(letters.delivered()).containsExactly("b");
    }

    @Test
    void an_error_is_a_failure_like_any_other() {
        Postrider<T> node = node();
        List<String> handled = Collections.synchronizedList(new ArrayList<>());
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, (text, context) -> {
                    handled.add(text);
                    if (handled.size() == 1) {
                        throw new AssertionError("not an exception");
                    }
                })
                .retry(QUICK)
                .start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThat(handled).containsExactly("a", "a");
    }

    @Test
    void a_payload_that_cannot_be_read_is_retried_then_dead_and_its_neighbours_are_not() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        send(
                node,
                List.of(
                        letter("ann", "a"),
                        Event.of(TYPE, Payload.json("{\"not\": \"text\"}")).key("ann"),
                        letter("ann", "c"),
                        letter(keysBeside("ann", 2).get(1), "d")));
        letters(node, letters).retry(QUICK.attempts(3)).start();
        assertLedger(new Counts(3, 0, 0, 1, 0, 0), 0);
        assertThat(letters.delivered("ann")).containsExactly("a", "c");
        assertThat(letters.delivered()).contains("d");
        assertThat(awaitDead()).satisfies(dead -> {
            assertThat(dead.attempt()).isEqualTo(3);
            assertThat(dead.error()).contains("the payload cannot be read as java.lang.String");
        });
    }

    private record Address(int number) {}

    @Test
    void the_reason_of_an_unreadable_payload_names_the_class_and_the_field() {
        Postrider<T> node = node();
        AtomicInteger read = new AtomicInteger();
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", Address.class, (address, context) -> read.set(address.number()))
                .retry(QUICK.attempts(2))
                .start();
        send(
                node,
                List.of(Event.of(TYPE, Payload.json("{\"number\": \"seven\"}")).key("ann")));
        assertThat(awaitDead().error())
                .contains("cannot be read as " + Address.class.getName())
                .contains("the field 'number'");
        assertThat(read).hasValue(0);
    }

    @Test
    void a_policy_that_calls_an_unreadable_payload_fatal_buries_it_at_once() {
        Postrider<T> node = node();
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", Address.class, (address, context) -> {})
                .retry(SLOW.fatal(UnreadableException.class))
                .start();
        send(
                node,
                List.of(Event.of(TYPE, Payload.json("{\"number\": \"seven\"}")).key("ann")));
        assertThat(awaitDead().attempt()).isEqualTo(1);
    }

    @Test
    void where_a_handler_failed_is_kept_with_each_attempt() {
        Postrider<T> node = node();
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, (text, context) -> {
                    throw new IllegalStateException("no such street", new IllegalArgumentException("street is 7"));
                })
                .retry(QUICK.attempts(2))
                .start();
        send(node, "ann", "a");
        Delivery dead = awaitDead();
        assertThat(dead.error())
                .isEqualTo("java.lang.IllegalStateException: no such street; caused by"
                        + " java.lang.IllegalArgumentException: street is 7");
        List<Story.Attempt> attempts =
                store.search().story(dead.id()).orElseThrow().standings().get(0).attempts();
        assertThat(attempts)
                .hasSize(2)
                .allSatisfy(attempt -> assertThat(attempt.stack())
                        .contains("IllegalStateException: no such street")
                        .contains("Caused by: java.lang.IllegalArgumentException: street is 7")
                        .contains("RetrySuite")
                        .hasSizeLessThanOrEqualTo(Failure.STACK_MAX));
    }

    // ---- other destinations -----------------------------------------------------------------------------------------

    @Test
    void a_destination_may_answer_later_and_in_every_way() {
        Postrider<T> node = node();
        Answers answers = new Answers(dispatch -> switch (textOf(dispatch)) {
            case "expired" -> Outcome.EXPIRED;
            case "skipped" -> Outcome.SKIPPED;
            case "dead" -> Outcome.dead("no such address");
            case "retried" -> dispatch.attempt() == 1 ? Outcome.retry("busy") : Outcome.DELIVERED;
            default -> Outcome.DELIVERED;
        });
        node.subscribe(SUBSCRIPTION).to("letter.*", answers).retry(QUICK).start();
        send(node, "ann", "delivered", "expired", "skipped", "dead", "retried", "last");
        assertLedger(new Counts(3, 1, 0, 1, 1, 0), 0);
        assertThat(awaitDead().error()).isEqualTo("no such address");
    }

    @Test
    void a_destination_may_know_when_to_try_again() {
        Postrider<T> node = node();
        Answers answers = new Answers(dispatch ->
                dispatch.attempt() == 1 ? new Outcome.Retry(Instant.now(), "come back soon") : Outcome.DELIVERED);
        node.subscribe(SUBSCRIPTION).to("letter.*", answers).retry(SLOW).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }

    @Test
    void what_was_postponed_was_no_attempt_and_keeps_its_place_in_its_key() {
        Postrider<T> node = node();
        AtomicInteger dispatched = new AtomicInteger();
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        Answers answers = new Answers(dispatch -> {
            attempts.add(dispatch.attempt());
            return dispatched.incrementAndGet() <= 5 ? Outcome.postponed(null, "no turn") : Outcome.DELIVERED;
        });
        node.subscribe(SUBSCRIPTION)
                .to("letter.*", answers)
                .retry(QUICK.attempts(2).immediate(1))
                .start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
        assertThat(attempts).hasSize(7).containsOnly(1);
    }

    @Test
    void a_destination_that_fails_to_answer_is_asked_again() {
        Postrider<T> node = node();
        Answers answers = new Answers(dispatch -> {
            if (dispatch.attempt() < 3) {
                throw new IllegalStateException("no connection");
            }
            return Outcome.DELIVERED;
        });
        node.subscribe(SUBSCRIPTION).to("letter.*", answers).retry(QUICK).start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
    }

    private static String textOf(Destination.Dispatch dispatch) {
        return LaneReader.text(dispatch.event());
    }

    /** Answers on another thread. */
    private record Answers(Function<Destination.Dispatch, Outcome> answer) implements Destination {
        @Override
        public Profile profile() {
            return Profile.handlers(1);
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return CompletableFuture.supplyAsync(
                    () -> dispatches.stream().map(answer).toList());
        }
    }
}
