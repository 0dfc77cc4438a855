package io.postrider.first;

import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.first.Orders.OrderPlaced;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.policy.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** Bills what was ordered, and lets an operator replay what could not be billed. */
final class Billing {
    interface Bank {
        void charge(String order, long cents);
    }

    private Billing() {}

    static void start(Postrider<Connection> postrider, Bank bank) {
        postrider
                .subscribe("billing")
                .on("order.placed", OrderPlaced.class, (placed, context) -> bank.charge(placed.order(), placed.cents()))
                .retry(RetryPolicy.DEFAULT.attempts(3).pauses(Duration.ofMillis(100), Duration.ofSeconds(1)))
                .start();
    }

    static List<Delivery> dead(Postrider<Connection> postrider) {
        return postrider.operator().browse().deliveries("billing", Delivery.Status.DEAD, Position.ZERO, 100);
    }

    static void replay(Postrider<Connection> postrider, Delivery dead) {
        postrider.operator().operate().replay("billing", dead.position(), new By("ann", "the bank answers again"));
    }
}
