package io.postrider.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.AppendMode;
import io.postrider.Event;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.Transact;
import io.postrider.operate.Delivery;
import io.postrider.operate.DestinationStatus;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.StoreException;
import io.postrider.tck.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transacts that break their contract where that can be seen. */
class MisusedTransactTest {
    private final MemoryStore store = MemoryStore.create();
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final List<Postrider<MemoryTransaction>> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Postrider::close);
    }

    private Postrider<MemoryTransaction> node(Transact<MemoryTransaction> transact) {
        Postrider<MemoryTransaction> node = Postrider.on(store, PostriderConfig.defaults(), transact);
        nodes.add(node);
        return node;
    }

    @Test
    void a_handle_of_another_database_is_refused_before_the_work_begins() {
        Postrider<MemoryTransaction> node = node(MemoryStore.create().transact());
        assertThatIllegalStateException()
                .isThrownBy(() -> node.transaction(transaction -> effects.add("never")))
                .withMessageContaining("another store");
        assertThat(effects).isEmpty();
    }

    @Test
    void events_are_not_promised_to_travel_with_a_commit_that_is_a_frameworks() {
        Postrider<MemoryTransaction> node = node(store.transact());
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> node.transaction(AppendMode.WITH_COMMIT, transaction -> effects.add("never")))
                .withMessageContaining("leave AppendMode.WITH_COMMIT out");
        assertThat(effects).isEmpty();
    }

    @Test
    void a_handle_of_another_database_is_no_fault_of_an_event() throws Exception {
        Postrider<MemoryTransaction> node = node(MemoryStore.create().transact());
        node.subscribe("letters")
                .onTransaction("letter.*", (transaction, text, context) -> effects.add(text))
                .retry(RetryPolicy.DEFAULT.attempts(1))
                .start();
        store.transact().transact(transaction -> node.outbox().append(transaction, Event.of("letter.sent", "a")));
        new Eventually(Duration.ofSeconds(60))
                .holds(() -> assertThat(node.operator().destinations())
                        .singleElement()
                        .extracting(DestinationStatus::why)
                        .asString()
                        .contains("another store"));
        assertThat(effects).isEmpty();
        assertThat(store.browse().deliveries("letters", Delivery.Status.DEAD, Position.ZERO, 10))
                .isEmpty();
    }

    @Test
    void a_transaction_that_has_ended_before_the_work_begins_is_refused() {
        Postrider<MemoryTransaction> node = node(new Transact<>() {
            @Override
            public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
                MemoryTransaction transaction = store.begin();
                transaction.commit();
                return work.run(transaction);
            }
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> node.transaction(transaction -> effects.add("never")))
                .withMessageContaining("has ended");
        assertThat(effects).isEmpty();
    }

    @Test
    void work_on_another_thread_is_refused() {
        Postrider<MemoryTransaction> node = node(new Transact<>() {
            @Override
            public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
                try {
                    return CompletableFuture.supplyAsync(() -> {
                                try {
                                    return store.transact().transact(work);
                                } catch (RuntimeException e) {
                                    throw e;
                                } catch (Exception e) {
                                    throw new AssertionError(e);
                                }
                            })
                            .join();
                } finally {
                    effects.add("returned");
                }
            }
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> node.transaction(transaction -> effects.add("never")))
                .withMessageContaining("another thread");
        assertThat(effects).containsExactly("returned");
    }

    @Test
    void work_that_was_never_run_is_not_taken_for_done() {
        Postrider<MemoryTransaction> node = node(new Transact<>() {
            @Override
            @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
            public <R> R transact(Work<MemoryTransaction, R> work) {
                return null;
            }
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> node.transaction(transaction -> effects.add("never")))
                .withMessageContaining("without having run the work");
    }

    @Test
    void an_exception_that_is_swallowed_is_not_taken_for_a_commit() {
        Postrider<MemoryTransaction> node = node(new Transact<>() {
            @Override
            @SuppressWarnings("NullAway")
            public <R> R transact(Work<MemoryTransaction, R> work) {
                try {
                    return store.transact().transact(work);
                } catch (Exception e) {
                    return null;
                }
            }
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> node.transaction(transaction -> {
                    throw new IOException("the work fails");
                }))
                .withMessageContaining("the work fails");
    }

    @Test
    void a_failure_that_replaces_that_of_the_work_is_the_stores() {
        Postrider<MemoryTransaction> node = node(new Transact<>() {
            @Override
            public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
                try {
                    return store.transact().transact(work);
                } catch (IOException e) {
                    throw new UnsupportedOperationException("no rollback");
                }
            }
        });
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> node.transaction(transaction -> {
                    throw new IOException("the work fails");
                }))
                .withMessageContaining("no rollback");
    }

    @Test
    void an_exception_that_a_manager_has_wrapped_comes_out_as_it_was() {
        Postrider<MemoryTransaction> node = node(new Transact<>() {
            @Override
            public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
                try {
                    return store.transact().transact(work);
                } catch (IOException e) {
                    throw new UnsupportedOperationException("undeclared", e);
                }
            }
        });
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> node.transaction(transaction -> {
                    throw new IOException("the work fails");
                }))
                .withMessage("the work fails");
    }

    @Test
    void a_manager_that_gives_no_transaction_costs_no_attempt() throws Exception {
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        int[] refusals = {3};
        Postrider<MemoryTransaction> node = node(new Transact<>() {
            @Override
            public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
                synchronized (refusals) {
                    if (refusals[0]-- > 0) {
                        throw new UnsupportedOperationException("no connection could be had");
                    }
                }
                return store.transact().transact(work);
            }
        });
        node.subscribe("letters")
                .onTransaction("letter.*", (transaction, text, context) -> attempts.add(context.attempt()))
                .retry(RetryPolicy.DEFAULT.attempts(1))
                .start();
        store.transact().transact(transaction -> node.outbox().append(transaction, Event.of("letter.sent", "a")));
        new Eventually(Duration.ofSeconds(60)).holds(() -> assertThat(attempts).containsExactly(1));
    }

    @Test
    void a_subscription_cannot_settle_with_effects_that_a_framework_commits() {
        Postrider<MemoryTransaction> node = node(store.transact());
        assertThatIllegalStateException()
                .isThrownBy(() -> node.subscribe("letters")
                        .onTransaction("letter.*", (transaction, text, context) -> effects.add(text))
                        .settleWithEffect()
                        .start())
                .withMessageContaining("letters")
                .withMessageContaining("onTransaction alone");
    }
}
