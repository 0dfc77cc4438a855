package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventContext;
import io.postrider.Limits;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.postgres.PostgresStore;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;

/**
 * A node in a process of its own: says when it is ready, then the id of each event and when its handler was entered.
 * Ends with its standard input, so that it does not outlive who started it.
 */
public final class NodeMain {
    static final String READY = "ready";
    static final String HANDLED = "handled";

    private static final int CONNECTIONS = 20;
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private NodeMain() {}

    /** The subscription, and the lease in milliseconds. */
    public static void main(String[] arguments) throws Exception {
        Limits limits = Limits.builder()
                .lease(Duration.ofMillis(Long.parseLong(arguments[1])))
                .build();
        try (HikariDataSource pool = Database.inherited().pool(CONNECTIONS);
                Postrider<Connection> node = Postrider.on(
                        PostgresStore.of(pool), PostriderConfig.defaults().limits(limits))) {
            node.subscribe(arguments[0])
                    .on(Payloads.TYPE, (payload, context) -> report(context))
                    .start();
            OUT.println(READY);
            while (System.in.read() >= 0) {
                // only its end matters
            }
        }
        System.exit(0);
    }

    private static void report(EventContext context) {
        long now = WallClock.nanos();
        OUT.println(HANDLED + " " + context.id() + " " + now);
    }
}
