package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Handler;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.postgres.PostgresStore;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/**
 * A node as a process of its own, as an application would run it: delivers to the receiver until SIGTERM, which it
 * answers by handing its lanes back, or until it is killed. It also stops when whoever started it is gone.
 */
final class DeliveryNode {
    static final String READY = "ready";
    static final Duration LEASE = Duration.ofSeconds(3);
    static final String SUBSCRIPTION = "chaos";
    private static final int POOL = 6;
    /** Shorter than the lease, so that a connection which went silent is noticed before the lanes are lost. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private DeliveryNode() {}

    /**
     * Arguments: the name of the node, the port of the receiver, and {@link NodeOptions} unless they are the default.
     */
    public static void main(String[] arguments) throws Exception {
        deliver(arguments, (reporter, postrider) -> reporter::report);
    }

    /** What becomes of an event on this node. */
    @FunctionalInterface
    interface Handling {
        Handler<NumberedEvent.Content> by(Reporter reporter, Postrider<Connection> postrider);
    }

    static void deliver(String[] arguments, Handling handling) throws Exception {
        String name = arguments[0];
        HikariDataSource pool = Database.inherited().pool(name, POOL, SILENCE);
        Reporter reporter = Reporter.to(Integer.parseInt(arguments[1]), name);
        NodeOptions options = NodeOptions.parse(List.of(arguments).subList(2, arguments.length));
        Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool, options.store()), config(name, options));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            postrider.close();
            pool.close();
        }));
        SubscriptionBuilder<Connection> subscription = postrider.subscribe(SUBSCRIPTION);
        Handler<NumberedEvent.Content> handler = handling.by(reporter, postrider);
        options.types().forEach(type -> subscription.on(type, NumberedEvent.Content.class, handler));
        subscription.start();
        System.out.println(READY);
        waitForEndOfInput();
        System.exit(0);
    }

    private static PostriderConfig config(String name, NodeOptions options) {
        return PostriderConfig.defaults()
                .node(name)
                .limits(options.limits().lease(LEASE).build());
    }

    /** The input ends when the process that started this one is gone. */
    static void waitForEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Nothing is ever written to it.
        }
    }
}
