package io.postrider;

import java.time.Duration;

/**
 * How messages are taken from a source.
 *
 * @param most messages of one pull, which are stored by one transaction
 * @param inFlight messages that have been pulled and are not yet acknowledged: while these are stored, the next are
 *     pulled
 * @param pullWait how long a pull waits where there is nothing, and so how long a stop may take
 * @param backoff the first pause while the source or the store does not answer; each further one is twice as long
 * @param backoffMax the longest pause
 * @param concurrency handlers of a direct consumer that run at once
 * @param heartbeat how often the source is told that a handler still works
 */
public record ReceiveOptions(
        int most,
        int inFlight,
        Duration pullWait,
        Duration backoff,
        Duration backoffMax,
        int concurrency,
        Duration heartbeat) {

    public static final ReceiveOptions DEFAULT = new ReceiveOptions(
            2_000,
            4_000,
            Duration.ofMillis(500),
            Duration.ofMillis(50),
            Duration.ofSeconds(5),
            16,
            Duration.ofSeconds(5));

    public ReceiveOptions {
        atLeast("most", most, 1);
        atLeast("inFlight", inFlight, most);
        atLeast("concurrency", concurrency, 1);
        atLeast("pullWait", pullWait, Duration.ofMillis(1));
        atLeast("backoff", backoff, Duration.ofMillis(1));
        atLeast("backoffMax", backoffMax, backoff);
        atLeast("heartbeat", heartbeat, Duration.ofMillis(1));
    }

    public ReceiveOptions most(int most) {
        return new ReceiveOptions(
                most, Math.max(inFlight, most), pullWait, backoff, backoffMax, concurrency, heartbeat);
    }

    public ReceiveOptions inFlight(int inFlight) {
        return new ReceiveOptions(most, inFlight, pullWait, backoff, backoffMax, concurrency, heartbeat);
    }

    public ReceiveOptions pullWait(Duration pullWait) {
        return new ReceiveOptions(most, inFlight, pullWait, backoff, backoffMax, concurrency, heartbeat);
    }

    public ReceiveOptions backoff(Duration first, Duration longest) {
        return new ReceiveOptions(most, inFlight, pullWait, first, longest, concurrency, heartbeat);
    }

    public ReceiveOptions concurrency(int concurrency) {
        return new ReceiveOptions(most, inFlight, pullWait, backoff, backoffMax, concurrency, heartbeat);
    }

    public ReceiveOptions heartbeat(Duration heartbeat) {
        return new ReceiveOptions(most, inFlight, pullWait, backoff, backoffMax, concurrency, heartbeat);
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", got " + value);
        }
    }

    private static void atLeast(String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException(name + " is at least " + least + ", got " + value);
        }
    }
}
