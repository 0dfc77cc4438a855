package io.postrider.chaos;

import java.time.Duration;
import java.util.Locale;

/**
 * What a scenario did, which it has proven to itself.
 *
 * @param since when the time to recover begins: the end of a fault that ends, the beginning of one that does not
 * @param evidence what was measured of it, in a few words for the table
 */
record Fault(Moment since, String evidence) {

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
