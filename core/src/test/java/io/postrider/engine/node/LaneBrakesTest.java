package io.postrider.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.engine.base.Hands;
import io.postrider.engine.base.Told;
import io.postrider.engine.lane.LaneOwner;
import io.postrider.store.Ownership;
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

    @Test
    void a_lane_that_gets_nowhere_while_another_is_told_is_told_a_minute_later() {
        String told = Told.by(() -> {
            for (int end = 0; end < 3; end++) {
                fail();
            }
            for (int end = 0; end < 3; end++) {
                fail(9, "another mistake");
            }
        });
        assertThat(told).contains("a mistake").doesNotContain("another mistake");
        hands.move(Duration.ofSeconds(60));
        assertThat(Told.by(() -> fail(9, "another mistake")))
                .contains("Lane 9 of subscription 'letters'", "another mistake");
    }

    private Duration fail(int lane, String why) {
        return brakes.ended(new Ownership("letters", new Lane(lane), 1, "first"), new LaneOwner.Failed(why, false));
    }

    private Duration fail() {
        return brakes.ended(new Ownership("letters", new Lane(3), 1, "first"), FAILED);
    }
}
