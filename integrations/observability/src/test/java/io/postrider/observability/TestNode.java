package io.postrider.observability;

import io.postrider.Event;
import io.postrider.Handler;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.observe.Observer;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.Assertions;

/** A real node on a memory store, observed. */
final class TestNode implements AutoCloseable {
    static final String SUBSCRIPTION = "wallet";
    static final String TYPE = "letter.sent";

    private static final RetryPolicy QUICK = RetryPolicy.DEFAULT
            .pauses(Duration.ofMillis(5), Duration.ofMillis(20))
            .attempts(3);

    final MemoryStore store = MemoryStore.create();
    final Postrider<MemoryTransaction> postrider;

    TestNode(Observer... observers) {
        PostriderConfig config = PostriderConfig.defaults()
                .limits(NodeLimits.builder()
                        .pollMin(Duration.ofMillis(2))
                        .pollMax(Duration.ofMillis(20))
                        .lease(Duration.ofSeconds(3))
                        .build());
        for (Observer observer : observers) {
            config = config.observer(observer);
        }
        postrider = Postrider.on(store, config);
    }

    /** Starts the subscription {@link #SUBSCRIPTION} with quick retries. */
    TestNode handle(Handler<String> handler) {
        return handle(handler, QUICK);
    }

    TestNode handle(Handler<String> handler, RetryPolicy retry) {
        postrider
                .subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, handler)
                .retry(retry)
                .start();
        return this;
    }

    /** As tasks of a queue, one at a time. */
    TestNode handleTasks(Handler<String> handler) {
        postrider
                .subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, handler)
                .limits(l -> l.concurrency(1))
                .queue(Queue.DEFAULT)
                .start();
        return this;
    }

    /** A transaction that has appended this and stays open. */
    MemoryTransaction begin(Event event) {
        MemoryTransaction transaction = store.begin();
        postrider.outbox().append(transaction, event);
        return transaction;
    }

    static Event letter(String key) {
        return Event.of(TYPE, "to " + key).key(key);
    }

    void append(Event... events) {
        try {
            postrider.transaction(transaction -> postrider.outbox().append(transaction, List.of(events)));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    void awaitLedger(Counts counts, long pending) {
        Eventually.holds(() ->
                Assertions.assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(counts, pending)));
    }

    void awaitDelivered(int events) {
        awaitLedger(new Counts(events, 0, 0, 0, 0, 0), 0);
    }

    @Override
    public void close() {
        postrider.close();
    }
}
