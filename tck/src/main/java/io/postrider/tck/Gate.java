package io.postrider.tck;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds handlers until it is opened. */
final class Gate {
    private final CountDownLatch opened = new CountDownLatch(1);
    private final AtomicInteger entered = new AtomicInteger();

    void pass() throws InterruptedException {
        entered.incrementAndGet();
        opened.await();
    }

    /** How many have come to it. */
    int entered() {
        return entered.get();
    }

    void open() {
        opened.countDown();
    }
}
