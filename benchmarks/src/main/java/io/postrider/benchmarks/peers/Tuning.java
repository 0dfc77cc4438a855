package io.postrider.benchmarks.peers;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What scenarios set alike for every carrier that has it.
 *
 * @param threads handlers that run at once on one node
 * @param poll how often a node looks for events, where nothing wakes it
 * @param failover how long a silent node keeps what it took
 */
public record Tuning(int threads, Duration poll, Duration failover) {
    /** As often as no pause would be felt. */
    static final Duration OFTEN = Duration.ofMillis(10);

    static final Duration PATIENT = Duration.ofSeconds(10);

    static Tuning of(int threads) {
        return new Tuning(threads, OFTEN, PATIENT);
    }

    public Tuning threads(int other) {
        return new Tuning(other, poll, failover);
    }

    public Tuning poll(Duration other) {
        return new Tuning(threads, other, failover);
    }

    public Tuning failover(Duration other) {
        return new Tuning(threads, poll, other);
    }

    /** As words for {@link NodeMain}. */
    List<String> arguments() {
        return Stream.of(threads, poll.toMillis(), failover.toMillis())
                .map(String::valueOf)
                .toList();
    }

    static Tuning parse(String threads, String poll, String failover) {
        return new Tuning(
                Integer.parseInt(threads),
                Duration.ofMillis(Long.parseLong(poll)),
                Duration.ofMillis(Long.parseLong(failover)));
    }
}
