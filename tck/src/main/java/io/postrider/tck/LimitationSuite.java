package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.store.Store.Limitation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Both answers of a store to what it may be unable to do: the work is done, or refused before anything has begun. */
public abstract class LimitationSuite<T> extends EngineCase<T> {
    private final Letters letters = new Letters();

    @Test
    void work_in_a_transaction_is_committed_or_refused() throws Exception {
        Postrider<T> node = node();
        if (declares(Limitation.NO_TRANSACTIONS)) {
            assertThat(declares(Limitation.NO_SAVEPOINTS)).isTrue();
            assertRefused(
                    Limitation.NO_TRANSACTIONS,
                    "Postrider.transaction runs work in a transaction",
                    () -> node.transaction(transaction -> transaction));
            assertUnsupported(() -> store.transact().transact(transaction -> transaction));
            return;
        }
        letters(node, letters).start();
        node.transaction(transaction -> node.outbox().append(transaction, letter("ann", "a")));
        assertDelivered(letters, "a");
    }

    /** An append needs no transaction of the node's, whatever the store can do. */
    @Test
    void an_append_of_the_callers_is_delivered_by_every_store() {
        Postrider<T> node = node();
        letters(node, letters).start();
        T handle = fixture.begin();
        node.outbox().append(handle, List.of(letter("ann", "a"), letter("ann", "b")));
        fixture.commit(handle);
        assertDelivered(letters, "a");
        assertDelivered(letters, "b");
    }

    @Test
    void a_handler_in_a_transaction_has_its_effect_or_is_refused_at_start() {
        Postrider<T> node = node();
        SubscriptionBuilder<T> recording = inTransactions(node);
        if (declares(Limitation.NO_TRANSACTIONS)) {
            assertRefused(
                    Limitation.NO_TRANSACTIONS,
                    "'letters' handles events in transactions (onTransaction)",
                    recording::start);
            letters(node, letters).start();
            send(node, "ann", "a");
            assertDelivered(letters, "a");
            return;
        }
        recording.start();
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(fixture.effects()).containsExactly("a"));
    }

    @Test
    void a_settlement_commits_with_the_effect_or_is_refused_at_start() {
        Postrider<T> node = node();
        SubscriptionBuilder<T> settling = inTransactions(node).settleWithEffect();
        String what = "'letters' settles with its effect (settleWithEffect)";
        if (declares(Limitation.NO_TRANSACTIONS)) {
            assertRefused(Limitation.NO_TRANSACTIONS, what, settling::start);
            letters(node, letters).start();
            send(node, "ann", "a");
            assertDelivered(letters, "a");
            return;
        }
        if (declares(Limitation.NO_SAVEPOINTS)) {
            assertRefused(Limitation.NO_SAVEPOINTS, what, settling::start);
            inTransactions(node).start();
        } else {
            settling.start();
        }
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(fixture.effects()).containsExactly("a"));
    }

    private SubscriptionBuilder<T> inTransactions(Postrider<T> node) {
        return node.subscribe(SUBSCRIPTION)
                .onTransaction(TYPE, String.class, (transaction, text, context) -> fixture.effect(transaction, text))
                .retry(QUICK);
    }
}
