package io.postrider.observability;

import io.postrider.EventContext;
import io.postrider.Handler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A handler that fails as often as it is told to, and waits while it is held. Thread-safe. */
final class Letters implements Handler<String> {
    private final AtomicInteger failures = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    Letters fail(int times) {
        failures.set(times);
        return this;
    }

    void hold() {
        gate = new CountDownLatch(1);
    }

    void release() {
        gate.countDown();
    }

    @Override
    public void handle(String text, EventContext context) throws Exception {
        gate.await();
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException(text + " is undeliverable");
        }
    }
}
