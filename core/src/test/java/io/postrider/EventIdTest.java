package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EventIdTest {
    private final Random random = new Random(7);

    @Test
    void a_drawn_id_is_a_uuid_of_version_7() {
        Instant now = Instant.parse("2026-11-15T12:00:00.123Z");
        EventId id = EventId.draw(now, random);
        assertThat(id.value().version()).isEqualTo(7);
        assertThat(id.value().variant()).isEqualTo(2);
        assertThat(id.value().getMostSignificantBits() >>> 16).isEqualTo(now.toEpochMilli());
    }

    @Test
    void ids_sort_by_the_time_they_were_drawn_at() {
        List<EventId> ids = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(EventId.draw(Instant.ofEpochMilli(1_000_000L + i), random));
        }
        assertThat(ids).isSorted();
        assertThat(ids).extracting(EventId::toString).isSorted();
    }

    @Test
    void ids_of_one_moment_differ() {
        HashSet<EventId> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            ids.add(EventId.draw(Instant.EPOCH, random));
        }
        assertThat(ids).hasSize(10_000);
    }

    @Test
    void an_id_is_read_as_it_is_written() {
        EventId id = EventId.draw(Instant.EPOCH, random);
        assertThat(EventId.of(id.toString())).isEqualTo(id);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventId.of("not an id"))
                .withMessageContaining("not an id");
    }
}
