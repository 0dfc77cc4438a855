package io.postrider.policy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes a subscription a queue: each event is a task of its own, claimed with a lease, and run for as long as it needs.
 * Higher priorities go first; no order is kept. {@link SubscriptionLimits#concurrency} bounds the tasks of each node.
 *
 * @param lease how long a claim lasts without a heartbeat: a task whose process dies is taken over after it
 * @param timeout how long a task may run; then its attempt counts as failed
 * @param most how many tasks may be ready at once: beyond it the log is read no further, and waits
 * @param expiresSoon tasks that expire within this time go before all others
 * @param byType how many tasks of a type run at once on each node, where it is fewer than
 *     {@code SubscriptionLimits.concurrency}
 * @param perSecond how many tasks each node begins per second; 0 for as many as it can
 */
public record Queue(
        Duration lease, Duration timeout, int most, Duration expiresSoon, Map<String, Integer> byType, int perSecond) {
    public static final Queue DEFAULT =
            new Queue(Duration.ofSeconds(30), Duration.ofHours(1), 100_000, Duration.ofSeconds(10), Map.of(), 0);

    public Queue {
        byType = Map.copyOf(byType);
        if (lease.compareTo(Duration.ofMillis(100)) < 0) {
            throw new IllegalArgumentException("a task's lease is at least 100 ms, got " + lease);
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a task's timeout is positive, got " + timeout);
        }
        if (most < 1) {
            throw new IllegalArgumentException("a queue has room for at least one task, got " + most);
        }
        if (perSecond < 0) {
            throw new IllegalArgumentException("perSecond is not negative, got " + perSecond);
        }
        byType.forEach((type, limit) -> {
            if (limit < 1) {
                throw new IllegalArgumentException("at least one task of '" + type + "' runs at once, got " + limit);
            }
        });
    }

    public Queue lease(Duration lease) {
        return new Queue(lease, timeout, most, expiresSoon, byType, perSecond);
    }

    public Queue timeout(Duration timeout) {
        return new Queue(lease, timeout, most, expiresSoon, byType, perSecond);
    }

    public Queue most(int most) {
        return new Queue(lease, timeout, most, expiresSoon, byType, perSecond);
    }

    public Queue expiresSoon(Duration expiresSoon) {
        return new Queue(lease, timeout, most, expiresSoon, byType, perSecond);
    }

    /** At most so many tasks of this type at once on each node. */
    public Queue concurrency(String type, int most) {
        Map<String, Integer> more = new HashMap<>(byType);
        more.put(type, most);
        return new Queue(lease, timeout, this.most, expiresSoon, more, perSecond);
    }

    public Queue perSecond(int perSecond) {
        return new Queue(lease, timeout, most, expiresSoon, byType, perSecond);
    }
}
