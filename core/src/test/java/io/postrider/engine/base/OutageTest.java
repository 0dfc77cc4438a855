package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.store.StoreException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutageTest {
    private final Hands hands = new Hands();
    private final Outage outage = new Outage(hands, Duration.ofSeconds(1), new Observers(List.of()));

    @Test
    void a_lease_that_was_renewed_before_an_outage_is_late_for_a_known_cause() {
        hands.move(Duration.ofSeconds(10));
        assertThat(outage.within(Duration.ofSeconds(5))).isFalse();
        outage.down(new StoreException("away", new IllegalStateException("away")));
        assertThat(outage.within(Duration.ofSeconds(5))).isTrue();
        outage.up();
        hands.move(Duration.ofSeconds(4));
        assertThat(outage.within(Duration.ofSeconds(5))).isTrue();
        hands.move(Duration.ofSeconds(2));
        assertThat(outage.within(Duration.ofSeconds(5))).isFalse();
    }
}
