package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventFilterTest {
    private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
    private static final StoredEvent EVENT = new StoredEvent(
            new Position(1),
            new Lane(1),
            new EventId(new UUID(1, 1)),
            "order.placed",
            "order-1",
            "{}",
            Headers.NONE.with(Headers.USER_ID, "ada").with(Headers.CORRELATION_ID, "c-1"),
            "acme",
            NOON);

    @Test
    void a_filter_with_nothing_given_matches_every_event() {
        assertThat(EventFilter.ALL.matches(EVENT)).isTrue();
    }

    @Test
    void all_that_is_given_has_to_hold() {
        EventFilter all = EventFilter.ALL
                .type("order.placed")
                .key("order-1")
                .tenant("acme")
                .userId("ada")
                .correlationId("c-1")
                .between(NOON, NOON.plusSeconds(1));

        assertThat(all.matches(EVENT)).isTrue();
        assertThat(all.type("order.paid").matches(EVENT)).isFalse();
        assertThat(all.key("order-2").matches(EVENT)).isFalse();
        assertThat(all.tenant("other").matches(EVENT)).isFalse();
        assertThat(all.userId("bob").matches(EVENT)).isFalse();
        assertThat(all.correlationId("c-2").matches(EVENT)).isFalse();
        assertThat(all.between(NOON.plusMillis(1), null).matches(EVENT)).isFalse();
    }

    @Test
    void the_end_of_a_filters_time_is_not_part_of_it() {
        assertThat(EventFilter.ALL.between(null, NOON).matches(EVENT)).isFalse();
        assertThat(EventFilter.ALL.between(NOON, null).matches(EVENT)).isTrue();
    }

    @Test
    void a_time_that_ends_before_it_begins_is_refused() {
        assertThatThrownBy(() -> EventFilter.ALL.between(NOON, NOON))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(NOON.toString());
    }
}
