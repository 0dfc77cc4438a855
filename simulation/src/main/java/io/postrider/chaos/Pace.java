package io.postrider.chaos;

import java.time.Duration;

/**
 * How long a trial waits.
 *
 * @param warmUp load before the fault
 * @param shows load after it at least, so that the fault can show
 * @param steady how long nothing may be late before recovery is over
 * @param patience how long an event is waited for at the end: what has not come by then is lost
 */
record Pace(Duration warmUp, Duration shows, Duration steady, Duration patience) {

    /** After one and a half leases a silent node has lost its lanes, and whoever takes them has looked. */
    static final Pace FULL = new Pace(
            Duration.ofSeconds(2),
            DeliveryNode.LEASE.multipliedBy(3).dividedBy(2),
            Duration.ofSeconds(2),
            Duration.ofSeconds(30));
}
