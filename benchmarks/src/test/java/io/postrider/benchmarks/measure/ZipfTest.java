package io.postrider.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ZipfTest {
    private static final int RANKS = 100;
    private static final int DRAWS = 200_000;

    @Test
    void a_rank_is_drawn_as_often_as_one_by_its_number_says() {
        Zipf zipf = new Zipf(RANKS, 1);
        int[] drawn = new int[RANKS];
        IntStream.range(0, DRAWS).forEach(i -> drawn[zipf.draw()]++);

        assertThat(drawn[0] / (double) drawn[1]).isCloseTo(2.0, within(0.1));
        assertThat(drawn[0] / (double) drawn[9]).isCloseTo(10.0, within(1.0));
        assertThat(IntStream.of(drawn).min().orElseThrow()).isPositive();
    }

    @Test
    void the_same_seed_draws_the_same_ranks() {
        Zipf one = new Zipf(RANKS, 5);
        Zipf other = new Zipf(RANKS, 5);

        assertThat(IntStream.range(0, 1_000).map(i -> one.draw()).toArray())
                .isEqualTo(IntStream.range(0, 1_000).map(i -> other.draw()).toArray());
    }
}
