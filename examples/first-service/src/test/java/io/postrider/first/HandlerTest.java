package io.postrider.first;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.first.Orders.OrderPlaced;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A handler tried without a database. */
class HandlerTest {
    @Test
    void an_order_is_billed() throws Exception {
        List<String> charged = new CopyOnWriteArrayList<>();
        try (Postrider<MemoryTransaction> postrider = Postrider.on(MemoryStore.create())) {
            postrider
                    .subscribe("billing")
                    .on("order.placed", OrderPlaced.class, (placed, context) -> charged.add(placed.order()))
                    .start();
            postrider.transaction(transaction -> postrider
                    .outbox()
                    .append(
                            transaction,
                            Event.of("order.placed", new OrderPlaced("o-1", 1_000))
                                    .key("ann")));
            Awaiting.until(() -> assertThat(charged).containsExactly("o-1"));
        }
    }
}
