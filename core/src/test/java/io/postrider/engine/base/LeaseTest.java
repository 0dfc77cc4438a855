package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private static final Duration LENGTH = Duration.ofSeconds(3);

    private final Hands hands = new Hands();
    private final Lease lease = new Lease(hands, LENGTH);

    LeaseTest() {
        lease.renewed(lease.renewing());
    }

    private void extended() {
        lease.extended(hands.nanos(), lease.term());
    }

    @Test
    void an_extension_prolongs_a_lease_whose_renewal_is_under_way() {
        hands.move(LENGTH.dividedBy(2));
        lease.renewing();
        extended();
        hands.move(LENGTH.minusMillis(1));
        assertThat(lease.valid(lease.term())).isTrue();
        hands.move(Duration.ofMillis(1));
        assertThat(lease.valid(lease.term())).isFalse();
    }

    /** The store extends nothing that has run out, and nobody else has begun it anew. */
    @Test
    void an_extension_that_is_heard_late_counts_where_no_renewal_was_sent() {
        hands.move(LENGTH.multipliedBy(2));
        extended();
        assertThat(lease.valid(lease.term())).isTrue();
    }

    /** A renewal of which no answer was heard may have begun another lease, after others had taken the lanes. */
    @Test
    void an_extension_brings_no_lease_back_that_a_renewal_may_have_begun_anew() {
        hands.move(LENGTH.multipliedBy(2));
        lease.renewing();
        extended();
        assertThat(lease.valid(lease.term())).isFalse();
        lease.renewed(lease.renewing());
        assertThat(lease.valid(lease.term())).isTrue();
    }

    @Test
    void what_was_lost_stays_lost() {
        long before = lease.term();
        lease.lost();
        lease.extended(hands.nanos(), before);
        lease.renewed(lease.renewing());
        assertThat(lease.valid(before)).isFalse();
        assertThat(lease.valid(lease.term())).isTrue();
    }
}
