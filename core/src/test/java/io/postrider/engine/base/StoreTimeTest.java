package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class StoreTimeTest {
    private static final Instant STORE = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration WAY = Duration.ofMillis(3);
    private static final Duration HOUR = Duration.ofHours(1);

    private final Hands hands = new Hands();
    private final StoreTime time = new StoreTime(hands);
    private Instant store = STORE;

    /** A call whose way takes so long, and whose answer as long. */
    private void renewed(Duration way, Duration back) {
        long sent = hands.nanos();
        pass(way);
        Instant at = store;
        pass(back);
        time.learn(at, sent, hands.nanos());
    }

    private void pass(Duration length) {
        hands.move(length);
        store = store.plus(length);
    }

    @Test
    void before_the_first_renewal_the_wall_clock_is_all_there_is() {
        assertThat(time.now()).isEqualTo(hands.now());
    }

    @Test
    void the_time_is_the_stores_however_the_wall_clock_jumps() {
        renewed(WAY, WAY);
        hands.jump(HOUR);
        pass(HOUR);
        assertThat(time.now()).isEqualTo(store.minus(WAY));
        hands.jump(HOUR.multipliedBy(-3));
        assertThat(time.now()).isEqualTo(store.minus(WAY));
    }

    @Test
    void a_slow_answer_changes_nothing() {
        renewed(WAY, WAY);
        renewed(WAY, HOUR);
        renewed(HOUR, WAY);
        assertThat(time.now()).isEqualTo(store.minus(WAY));
    }

    @Test
    void a_quicker_answer_tells_more() {
        renewed(WAY, HOUR);
        assertThat(time.now()).isEqualTo(store.minus(HOUR));
        renewed(WAY, WAY);
        assertThat(time.now()).isEqualTo(store.minus(WAY));
    }

    @Test
    void a_clock_of_the_store_that_has_jumped_is_followed() {
        renewed(WAY, WAY);
        store = store.plus(HOUR);
        renewed(WAY, WAY);
        assertThat(time.now()).isEqualTo(store.minus(WAY));
        store = store.minus(HOUR.multipliedBy(2));
        renewed(WAY, WAY);
        assertThat(time.now()).isEqualTo(store.minus(WAY));
    }

    @Test
    void a_time_of_the_wall_clock_is_as_far_away_by_the_stores() {
        renewed(WAY, Duration.ZERO);
        hands.jump(HOUR);
        assertThat(time.of(hands.now().plus(WAY))).isEqualTo(store.plus(WAY));
        assertThat(time.of(Instant.MIN)).isEqualTo(store);
        assertThat(time.of(Instant.MAX)).isEqualTo(store.plus(StoreTime.RETRY_WITHIN));
    }
}
