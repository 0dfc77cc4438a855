package io.postrider.postgres.load;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import io.postrider.postgres.PostgresStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * Drains a log with the default configuration, in a process of its own, and prints how far it got. First it drains the
 * small log of another schema, so that what is measured is not the warm-up of its JVM.
 */
final class DrainNode {
    static final String WARM_UP_SCHEMA = "warm_up";
    /** Events that it handles before, so that the JVM is warm. */
    static final String WARM_UP = "warm-up";

    /** It prints the number of arrivals whenever so many more have arrived. */
    static final int STEP = 50_000;

    static final String TYPE = "drain.numbered";

    private DrainNode() {}

    /** The payload; the filler gives it its size. */
    record Content(int key, int sequence, String filler) {}

    public static void main(String[] arguments) throws Exception {
        try (HikariDataSource pool = Database.inherited().pool(8);
                DrainLedger ledger = new DrainLedger(Path.of(arguments[0]))) {
            warmUp(pool);
            try (Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool))) {
                postrider
                        .subscribe("drain")
                        .on(TYPE, Content.class, (content, context) -> arrived(ledger, content))
                        .start();
                DeliveryNode.waitForEndOfInput();
            }
        }
    }

    private static void arrived(DrainLedger ledger, Content content) throws IOException {
        int count = ledger.arrived(content.key(), content.sequence());
        if (count % STEP == 0) {
            System.out.println(count);
        }
    }

    private static void warmUp(DataSource dataSource) throws InterruptedException {
        CountDownLatch missing = new CountDownLatch(Integer.getInteger(WARM_UP));
        PostgresStore store = PostgresStore.of(dataSource, PostgresStoreConfig.DEFAULT.schema(WARM_UP_SCHEMA));
        try (Postrider<Connection> postrider = Postrider.on(store)) {
            postrider
                    .subscribe("warm-up")
                    .on(TYPE, Content.class, (Content content, EventContext context) -> missing.countDown())
                    .start();
            missing.await();
        }
    }
}
