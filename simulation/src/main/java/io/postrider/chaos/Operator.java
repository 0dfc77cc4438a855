package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventFilter;
import io.postrider.operate.By;
import io.postrider.operate.Ledger;
import io.postrider.operate.Operation;
import io.postrider.operate.Search;
import io.postrider.postgres.PostgresStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Looks at the log and decides about its events as an operator would, over connections of its own. */
final class Operator implements AutoCloseable {
    private static final int CONNECTIONS = 2;
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final By HARNESS = new By("chaos", "what was skipped is wanted");

    private final HikariDataSource pool;
    private final PostgresStore store;

    private Operator(HikariDataSource pool) {
        this.pool = pool;
        this.store = PostgresStore.of(pool);
    }

    static Operator at(Database database) {
        return new Operator(database.pool("operator", CONNECTIONS, SILENCE));
    }

    PostgresStore store() {
        return store;
    }

    /** Of the nodes' subscription. */
    Ledger ledger() {
        return store.browse().ledger(DeliveryNode.SUBSCRIPTION);
    }

    /** The events that are told as skipped. */
    Set<UUID> skipped() {
        Set<UUID> skipped = new HashSet<>();
        Search.Found page;
        Search.Bookmark next = null;
        do {
            page = store.search()
                    .deliveries(
                            DeliveryNode.SUBSCRIPTION, Search.State.SKIPPED, EventFilter.ALL, next, Search.PAGE_MAX);
            page.events().forEach(event -> skipped.add(event.id().value()));
            next = page.next();
        } while (next != null);
        return skipped;
    }

    /** Starts a replay of all that was skipped, and says how many events it is about. */
    long replaySkipped() {
        Operation operation = store.operations()
                .start(
                        Operation.Kind.REPLAY,
                        Operation.Target.skipped(DeliveryNode.SUBSCRIPTION),
                        Operation.Pace.UNLIMITED,
                        HARNESS)
                .orElseThrow();
        return operation.progress().total();
    }

    @Override
    public void close() {
        pool.close();
    }
}
