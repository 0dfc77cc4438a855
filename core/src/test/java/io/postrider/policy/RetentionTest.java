package io.postrider.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.engine.dispatch.Routes;
import io.postrider.engine.dispatch.SubscriptionSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RetentionTest {
    private static final Instant APPENDED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private final Retention hour = Retention.DEFAULT.unprocessed(HOUR);

    @Test
    void an_event_expires_when_it_has_become_too_old() {
        assertThat(expiry(hour, Schedule.NONE)).isEqualTo(APPENDED.plus(HOUR));
    }

    @Test
    void its_own_expiry_counts_if_it_is_sooner() {
        Instant sooner = APPENDED.plusSeconds(1);
        assertThat(expiry(hour, Schedule.NONE.expiresAt(sooner))).isEqualTo(sooner);
        assertThat(expiry(hour, Schedule.NONE.expiresAt(APPENDED.plus(HOUR.multipliedBy(2)))))
                .isEqualTo(APPENDED.plus(HOUR));
    }

    @Test
    void an_event_that_is_wanted_later_is_young_until_then() {
        Instant later = APPENDED.plus(HOUR.multipliedBy(5));
        assertThat(expiry(hour, Schedule.NONE.deliverAt(later))).isEqualTo(later.plus(HOUR));
        assertThat(expiry(hour, Schedule.NONE.deliverAt(APPENDED.minus(HOUR)))).isEqualTo(APPENDED.plus(HOUR));
    }

    @Test
    void by_default_nothing_becomes_too_old_and_nothing_is_swept() {
        StoredEvent event = event(Schedule.NONE);
        assertThat(Retention.DEFAULT.bounded(event)).isSameAs(event);
        assertThat(Retention.DEFAULT.sweeps()).isFalse();
        assertThat(hour.sweeps()).isFalse();
        assertThat(Retention.DEFAULT.expired(HOUR).sweeps()).isTrue();
        assertThat(Retention.DEFAULT.deadLetters(DeadLetters.MOVED).sweeps()).isTrue();
    }

    @Test
    void times_that_make_no_sense_are_refused_by_name() {
        assertThatThrownBy(() -> Retention.DEFAULT.dead(Duration.ofSeconds(-1)))
                .hasMessageContaining("dead is PT0S to")
                .hasMessageContaining("got PT-1S");
        assertThatThrownBy(() -> Retention.DEFAULT.unprocessed(Duration.ZERO)).hasMessageContaining("unprocessed");
        assertThatThrownBy(() -> Retention.DEFAULT.expired(Retention.FOR_GOOD.plusNanos(1)))
                .hasMessageContaining("expired");
        assertThatThrownBy(() -> NodeLimits.builder()
                        .retain(Retention.FOR_GOOD.plusDays(1))
                        .build())
                .hasMessageContaining("retain");
    }

    @Test
    void dead_events_that_block_their_keys_are_neither_moved_nor_let_go() {
        Retention moved = Retention.DEFAULT.deadLetters(DeadLetters.MOVED);
        assertThatThrownBy(() -> spec(AfterDead.STAY_BLOCKED, true, moved)).hasMessageContaining("STAY_BLOCKED");
        assertThatThrownBy(() -> spec(AfterDead.STAY_BLOCKED, true, Retention.DEFAULT.dead(HOUR)))
                .hasMessageContaining("block their keys");
        assertThat(spec(AfterDead.GO_ON, true, moved).retention()).isEqualTo(moved);
        assertThat(spec(AfterDead.STAY_BLOCKED, false, moved).retention()).isEqualTo(moved);
        assertThat(spec(AfterDead.STAY_BLOCKED, true, hour).retention()).isEqualTo(hour);
    }

    private static SubscriptionSpec spec(AfterDead afterDead, boolean ordered, Retention retention) {
        return new SubscriptionSpec(
                "s",
                Start.beginning(),
                ordered,
                afterDead,
                RetryPolicy.DEFAULT,
                Map.of(),
                new Routes(Map.of()),
                SubscriptionLimits.DEFAULT,
                null,
                null,
                retention,
                null);
    }

    private static @Nullable Instant expiry(Retention retention, Schedule schedule) {
        return retention.bounded(event(schedule)).schedule().expiresAt();
    }

    private static StoredEvent event(Schedule schedule) {
        EventId id = new EventId(new UUID(0, 1));
        return new StoredEvent(
                new Position(1),
                Lane.of(null, id, Lane.COUNT_DEFAULT),
                id,
                "t",
                null,
                "{}",
                Headers.NONE,
                null,
                APPENDED,
                schedule);
    }
}
