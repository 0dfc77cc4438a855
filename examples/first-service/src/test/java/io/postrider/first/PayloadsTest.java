package io.postrider.first;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Json;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.UnreadableException;
import io.postrider.first.Orders.OrderPlaced;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.operate.By;
import org.junit.jupiter.api.Test;

/** What the guides say of payloads, of null and blank values, and of a node that was closed. */
class PayloadsTest {
    private static final Json LENIENT = PostriderConfig.defaults().json();
    private static final Json STRICT = Payloads.strict().json();

    @Test
    void unknown_and_missing_fields_are_ignored_unless_the_mapper_is_strict() {
        String unknown = "{\"order\": \"o-1\", \"cents\": 1, \"colour\": \"red\"}";
        String missing = "{\"cents\": 1}";
        assertThat(LENIENT.decode(unknown, OrderPlaced.class)).isEqualTo(new OrderPlaced("o-1", 1));
        assertThat(LENIENT.decode(missing, OrderPlaced.class).order()).isNull();
        assertThatThrownBy(() -> STRICT.decode(unknown, OrderPlaced.class)).isInstanceOf(UnreadableException.class);
        assertThatThrownBy(() -> STRICT.decode(missing, OrderPlaced.class)).isInstanceOf(UnreadableException.class);
    }

    @Test
    void a_missing_primitive_of_a_record_fails() {
        assertThatThrownBy(() -> LENIENT.decode("{\"order\": \"o-1\"}", OrderPlaced.class))
                .isInstanceOf(UnreadableException.class);
    }

    @Test
    void mistakes_are_told_in_sentences() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Event.of("order.placed", 1).key(" "))
                .withMessageEndingWith("got 1, all of them blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Event.of("order.placed", 1).key(""))
                .withMessageEndingWith("got an empty text");
        try (Postrider<MemoryTransaction> postrider = Postrider.on(MemoryStore.create())) {
            assertThatNullPointerException()
                    .isThrownBy(() -> postrider.outbox().append(noTransaction(), Event.of("order.placed", 1)))
                    .withMessageContaining("appended in a transaction");
        }
    }

    @SuppressWarnings("NullAway") // the mistake
    private static MemoryTransaction noTransaction() {
        return null;
    }

    @Test
    void a_closed_node_still_appends_and_decides_and_starts_nothing() throws Exception {
        MemoryStore store = MemoryStore.create();
        Postrider<MemoryTransaction> postrider = Postrider.on(store);
        postrider
                .subscribe("billing")
                .on("order.placed", (order, context) -> {})
                .start();
        postrider.close();
        Event event = Event.of("order.placed", new OrderPlaced("o-1", 1));
        postrider.transaction(transaction -> postrider.outbox().append(transaction, event));
        store.transact().transact(transaction -> postrider.outbox().append(transaction, event));
        assertThat(postrider.operator().browse().ledger("billing").pending()).isEqualTo(2);
        assertThatIllegalStateException()
                .isThrownBy(() -> postrider
                        .subscribe("mail")
                        .on("**", (order, context) -> {})
                        .start())
                .withMessageContaining("closed");
        assertThat(postrider.operator().remove("billing", new By("ann", "over")).done())
                .isTrue();
    }
}
