package io.postrider.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a scenario did, which it has proven to itself.
 *
 * @param since when the time to recover begins: the end of a fault that ends, the beginning of one that does not
 * @param evidence what was measured of it, in a few words for the table
 * @param order in which events had to arrive
 * @param promise what else must hold when everything has arrived
 */
record Fault(Moment since, String evidence, Order order, Promise promise) {

    /** Of one scenario alone. */
    @FunctionalInterface
    interface Promise {
        /** A sentence for whatever does not hold, while the nodes still run and nobody writes any more. */
        List<String> broken(Cluster cluster) throws Exception;
    }

    Fault(Moment since, String evidence) {
        this(since, evidence, Order.OF_KEYS, cluster -> List.of());
    }

    Fault order(Order order) {
        return new Fault(since, evidence, order, promise);
    }

    /** With one more. */
    Fault promise(Promise more) {
        return new Fault(
                since,
                evidence,
                order,
                cluster -> Stream.concat(promise.broken(cluster).stream(), more.broken(cluster).stream())
                        .toList());
    }

    /** One that has ended. */
    static Fault over(String evidence) {
        return new Fault(Moment.now(), evidence);
    }

    /** Without a proof that the damage was done, a scenario that nothing came of would look like a success. */
    static void require(boolean tookHold, String otherwise) throws Unmeasured {
        if (!tookHold) {
            throw new Unmeasured("the fault did not take hold: " + otherwise);
        }
    }

    static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
    }
}
