package io.postrider.memory;

import io.postrider.Environment;
import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** An event is appended and handled, by one thread and without timers; the node has its lanes already. */
public final class OneDelivery implements Runnable {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private int handled;

    @Override
    public void run() {
        MemoryStore store = MemoryStore.create();
        Postrider<MemoryTransaction> postrider =
                Postrider.on(store, PostriderConfig.defaults().environment(new ByHand()));
        postrider
                .subscribe("billing")
                .on("order.placed", (payload, context) -> handled++)
                .start();
        runAll();
        append(postrider);
        Moves.begin();
        append(postrider);
        Moves.end();
        long delivered = store.browse().ledger("billing").counts().delivered();
        if (handled != 2 || delivered != 2) {
            throw new IllegalStateException("handled " + handled + ", settled " + delivered);
        }
    }

    private void append(Postrider<MemoryTransaction> postrider) {
        try {
            postrider.transaction(transaction -> postrider
                    .outbox()
                    .append(transaction, Event.of("order.placed", "an order").key("ann")));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        runAll();
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private final class ByHand implements Environment {
        private final Random random = new Random(1);

        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public RandomGenerator random() {
            return random;
        }

        @Override
        public Executor engine() {
            return tasks::add;
        }

        @Override
        public Executor handlers() {
            return tasks::add;
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return () -> {};
        }

        @Override
        public void close() {}
    }
}
