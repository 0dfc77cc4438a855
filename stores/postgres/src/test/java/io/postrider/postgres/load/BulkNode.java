package io.postrider.postgres.load;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.postgres.PostgresStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;

/** A node as a process of its own whose handler fails with every event until a file says that it is mended. */
final class BulkNode {
    static final String MENDED = "mended";
    static final String UNREACHABLE = "the address book cannot be reached";

    /** More than one, because what runs when its node is killed has had an attempt. */
    private static final RetryPolicy RETRY =
            RetryPolicy.DEFAULT.attempts(3).pauses(Duration.ofMillis(10), Duration.ofMillis(100));

    private BulkNode() {}

    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        Path mended = path.resolveSibling(MENDED);
        NodeLimits limits = NodeLimits.builder().lease(Duration.ofSeconds(2)).build();
        try (HikariDataSource pool = Database.inherited().pool(8);
                ArrivalLedger ledger = ArrivalLedger.open(path);
                Postrider<Connection> postrider = Postrider.on(
                        PostgresStore.of(pool), PostriderConfig.defaults().limits(limits))) {
            postrider
                    .subscribe(DeliveryNode.SUBSCRIPTION)
                    .on(NumberedEvent.TYPE, NumberedEvent.Content.class, (content, context) -> {
                        requireMended(mended);
                        ledger.arrived(content, context);
                    })
                    .retry(RETRY)
                    .start();
            System.out.println(DeliveryNode.READY);
            DeliveryNode.waitForEndOfInput();
        }
    }

    private static void requireMended(Path mended) throws IOException {
        if (!Files.exists(mended)) {
            throw new IOException(UNREACHABLE);
        }
    }
}
