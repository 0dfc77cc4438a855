package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a {@link io.postrider.Transact} has to keep, that of a store and that of a framework's transaction manager.
 *
 * @param <T> the store's transaction handle
 */
public abstract class TransactSuite<T> {
    private static final String SUBSCRIPTION = "letters";
    private static final RetryPolicy QUICK = RetryPolicy.DEFAULT.pauses(Duration.ofMillis(5), Duration.ofMillis(20));

    private final List<Observation> observed = new CopyOnWriteArrayList<>();
    private TransactFixture<T> fixture;
    private Postrider<T> node;

    /** A new fixture; the suite uses and closes it. */
    protected abstract TransactFixture<T> fixture();

    @BeforeEach
    final void open() {
        fixture = fixture();
        node = fixture.node(PostriderConfig.defaults()
                .observer(observed::add)
                .limits(NodeLimits.builder()
                        .pollMin(Duration.ofMillis(2))
                        .pollMax(Duration.ofMillis(20))
                        .backoffMax(Duration.ofMillis(100))
                        .build()));
    }

    @AfterEach
    final void close() {
        node.close();
        fixture.close();
    }

    @Test
    void what_was_done_is_committed_when_it_returns() throws Exception {
        String result = node.transaction(transaction -> {
            fixture.effect(transaction, "a");
            assertThat(fixture.effects()).isEmpty();
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(fixture.effects()).containsExactly("a");
    }

    @Test
    void work_that_throws_leaves_nothing_behind_and_its_exception_comes_out() throws Exception {
        List<Throwable> failures = List.of(
                new IOException("checked"), new IllegalStateException("unchecked"), new AssertionError("error"));
        for (Throwable failure : failures) {
            assertThat(catchThrowable(() -> node.transaction(transaction -> {
                        fixture.effect(transaction, "never");
                        append(transaction, "never");
                        throw sneaked(failure);
                    })))
                    .isSameAs(failure);
        }
        node.transaction(transaction -> append(transaction, "a"));
        assertHandled("a");
        assertThat(fixture.effects()).containsExactly("a");
    }

    private static Exception sneaked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (Exception) failure;
    }

    @Test
    void an_event_commits_with_what_it_announces() throws Exception {
        node.transaction(transaction -> {
            append(transaction, "a");
            fixture.effect(transaction, "announced");
            return "done";
        });
        assertHandled("a");
        assertThat(fixture.effects()).containsExactlyInAnyOrder("announced", "a");
    }

    @Test
    void a_transaction_within_another_is_one_of_its_own() throws Exception {
        assertThatThrownBy(() -> node.transaction(outer -> {
                    fixture.effect(outer, "outer");
                    node.transaction(inner -> {
                        fixture.effect(inner, "inner");
                        return "done";
                    });
                    assertThat(fixture.effects()).containsExactly("inner");
                    throw new IOException("the outer one fails");
                }))
                .isInstanceOf(IOException.class);
        assertThat(fixture.effects()).containsExactly("inner");
    }

    @Test
    void a_commit_that_is_refused_throws_the_refusal_and_no_failure_of_the_store() throws Exception {
        assertThatThrownBy(() -> node.transaction(transaction -> {
                    fixture.effect(transaction, "never");
                    fixture.refusedAtCommit(transaction);
                    return "done";
                }))
                .isNotInstanceOf(StoreException.class);
        node.transaction(transaction -> append(transaction, "a"));
        assertHandled("a");
        assertThat(fixture.effects()).containsExactly("a");
    }

    @Test
    void a_store_that_goes_away_under_the_work_is_told_apart_from_the_work() throws Exception {
        assertThatThrownBy(() -> node.transaction(transaction -> {
                    fixture.effect(transaction, "never");
                    fixture.breakOff(transaction);
                    fixture.effect(transaction, "never");
                    return "done";
                }))
                .isInstanceOf(StoreException.class);
        node.transaction(transaction -> append(transaction, "a"));
        assertHandled("a");
        assertThat(fixture.effects()).containsExactly("a");
    }

    @Test
    void the_work_runs_on_the_callers_thread() throws Exception {
        Thread caller = Thread.currentThread();
        Thread worker = node.transaction(transaction -> {
            fixture.effect(transaction, "a");
            return Thread.currentThread();
        });
        assertThat(worker).isSameAs(caller);
        assertThat(fixture.effects()).containsExactly("a");
    }

    @Test
    void the_work_cannot_end_its_transaction() {
        assertThatThrownBy(() -> node.transaction(transaction -> {
                    fixture.effect(transaction, "never");
                    fixture.commit(transaction);
                    return "done";
                }))
                .hasStackTraceContaining("must not commit");
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void a_handler_that_fails_has_its_effect_once_and_a_broken_transaction_costs_no_attempt() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        List<Integer> attempts = new ArrayList<>();
        node.subscribe(SUBSCRIPTION)
                .onTransaction("letter.*", String.class, (transaction, text, context) -> {
                    fixture.effect(transaction, text);
                    attempts.add(context.attempt());
                    if (calls.incrementAndGet() == 1) {
                        fixture.breakOff(transaction);
                        fixture.effect(transaction, text);
                    } else if (calls.get() == 2) {
                        throw new IOException("the handler fails");
                    }
                })
                .retry(QUICK)
                .start();
        node.transaction(transaction -> append(transaction, "a"));
        eventually()
                .holds(() -> assertThat(
                                fixture.store().browse().ledger(SUBSCRIPTION).counts())
                        .isEqualTo(new Counts(1, 0, 0, 0, 0, 0)));
        assertThat(fixture.effects()).containsExactly("a");
        assertThat(attempts).containsExactly(1, 1, 2);
    }

    private Object append(T transaction, String text) {
        return node.outbox().append(transaction, Event.of("letter.sent", text).key("ann"));
    }

    private void assertHandled(String text) {
        node.subscribe(SUBSCRIPTION)
                .onTransaction(
                        "letter.*",
                        String.class,
                        (transaction, payload, context) -> fixture.effect(transaction, payload))
                .retry(QUICK)
                .start();
        eventually().holds(() -> assertThat(fixture.effects()).contains(text));
    }

    private Eventually eventually() {
        return new Eventually(fixture.patience());
    }
}
