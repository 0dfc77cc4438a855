package io.postrider.redis;

import java.time.Duration;

/**
 * How a subscriber works. Immutable.
 *
 * @param workers threads that call handlers; events of one key always meet the same one
 * @param queuedMax events that wait for a worker, in the whole bus; beyond that, events are dropped and counted
 * @param heartbeat how often the connection is tried, and made anew if it is lost
 * @param closeWithin how long a close waits for handlers that run
 */
public record EventBusConfig(int workers, int queuedMax, Duration heartbeat, Duration closeWithin) {

    public EventBusConfig {
        RedisConfig.requireAtLeast("workers", 1, workers);
        RedisConfig.requireAtLeast("queuedMax", 1, queuedMax);
        RedisConfig.requirePositive("heartbeat", heartbeat);
        RedisConfig.requirePositive("closeWithin", closeWithin);
    }

    public static EventBusConfig defaults() {
        return new EventBusConfig(1, 10_000, Duration.ofSeconds(1), Duration.ofSeconds(5));
    }

    public EventBusConfig workers(int workers) {
        return new EventBusConfig(workers, queuedMax, heartbeat, closeWithin);
    }

    public EventBusConfig queuedMax(int queuedMax) {
        return new EventBusConfig(workers, queuedMax, heartbeat, closeWithin);
    }

    public EventBusConfig heartbeat(Duration heartbeat) {
        return new EventBusConfig(workers, queuedMax, heartbeat, closeWithin);
    }

    public EventBusConfig closeWithin(Duration closeWithin) {
        return new EventBusConfig(workers, queuedMax, heartbeat, closeWithin);
    }
}
