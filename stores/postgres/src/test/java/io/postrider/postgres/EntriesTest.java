package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.store.Append.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** In which pieces many entries are written. */
class EntriesTest {
    private static final long SEGMENT = 1_000_000;

    private static List<Entry> entries(int count, int characters) {
        Random random = new Random(1);
        String payload = '"' + "x".repeat(characters - 2) + '"';
        return IntStream.range(0, count)
                .mapToObj(number ->
                        new Entry(EventId.draw(Instant.EPOCH, random), "letter", null, payload, Headers.NONE, null))
                .toList();
    }

    private static List<Integer> sizes(List<Entry> entries, long segment) {
        List<List<Entry>> pieces = Entries.pieces(entries, segment);
        assertThat(pieces.stream().flatMap(List::stream)).containsExactlyElementsOf(entries);
        return pieces.stream().map(List::size).toList();
    }

    @Test
    void a_few_small_entries_are_one_piece() {
        assertThat(sizes(entries(0, 10), SEGMENT)).isEmpty();
        assertThat(sizes(entries(2_000, 10), SEGMENT)).containsExactly(2_000);
    }

    @Test
    void many_are_several_none_larger_than_a_quarter_of_a_segment() {
        assertThat(sizes(entries(20_001, 10), SEGMENT)).containsExactly(10_000, 10_000, 1);
        assertThat(sizes(entries(25, 10), 40)).containsExactly(10, 10, 5);
        assertThat(sizes(entries(3, 10), 1)).containsExactly(1, 1, 1);
    }

    @Test
    void large_payloads_are_kept_apart() {
        assertThat(sizes(entries(40, 1 << 20), SEGMENT)).containsExactly(16, 16, 8);
    }
}
