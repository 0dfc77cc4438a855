package io.postrider.first;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.operate.Delivery;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The guide's story, from the first order to a dead letter that is replayed. */
class FirstServiceTest {
    private final List<String> charged = new CopyOnWriteArrayList<>();
    private final AtomicBoolean bankIsAway = new AtomicBoolean();

    @Test
    void an_order_that_could_not_be_billed_is_dead_and_billed_when_it_is_replayed() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of());
                HikariDataSource dataSource = FirstService.pool(server.jdbcUrl(), server.user(), server.password())) {
            FirstService.createOrders(dataSource);
            try (Postrider<Connection> postrider = Postrider.on(PostgresStore.of(dataSource))) {
                Billing.start(postrider, this::charge);
                Orders orders = new Orders(dataSource, postrider);

                orders.place("o-1", "ann", 1_000);
                Awaiting.until(() -> assertThat(charged).containsExactly("o-1 1000"));

                bankIsAway.set(true);
                orders.place("o-2", "ann", 2_000);
                Awaiting.until(() -> assertThat(Billing.dead(postrider)).hasSize(1));
                Delivery dead = Billing.dead(postrider).get(0);
                assertThat(dead.attempt()).isEqualTo(3);
                assertThat(dead.error()).contains("the bank does not answer");

                bankIsAway.set(false);
                Billing.replay(postrider, dead);
                Awaiting.until(() -> assertThat(charged).containsExactly("o-1 1000", "o-2 2000"));
                assertThat(Billing.dead(postrider)).isEmpty();
            }
        }
    }

    private void charge(String order, long cents) {
        if (bankIsAway.get()) {
            throw new IllegalStateException("the bank does not answer");
        }
        charged.add(order + " " + cents);
    }
}
