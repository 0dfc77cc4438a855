package io.postrider.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.spi.Ownership;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lane that fails again and again is claimed with growing pauses. */
class LaneBrakesTest {
    private static final LaneOwner.Failed FAILED = new LaneOwner.Failed("a mistake", false);

    private final Hands hands = new Hands();
    private final LaneBrakes brakes = new LaneBrakes(hands, Duration.ofMillis(150));

    @Test
    void the_pauses_grow_up_to_the_longest() {
        assertThat(fail()).isEqualTo(Duration.ZERO);
        assertThat(fail()).isEqualTo(Duration.ofMillis(50));
        assertThat(fail()).isEqualTo(Duration.ofMillis(100));
        assertThat(fail()).isEqualTo(Duration.ofMillis(150));
        assertThat(brakes.held()).containsExactly(new Lane(3));
    }

    @Test
    void a_lane_that_ran_for_a_minute_begins_anew() {
        fail();
        fail();
        hands.move(Duration.ofSeconds(61));
        assertThat(fail()).isEqualTo(Duration.ZERO);
    }

    private Duration fail() {
        return brakes.ended(new Ownership("letters", new Lane(3), 1, "first"), FAILED);
    }
}
