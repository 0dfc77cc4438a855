package io.postrider.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

    @Test
    void a_ratio_is_the_median_of_the_rounds_and_the_warm_up_is_not_counted() throws Exception {
        Contender ours = new Scripted("ours", 1, 100, 50, 90);
        Contender other = new Scripted("other", 9_999, 50, 10, 60);

        Result result = Rounds.run(List.of(ours, other), 1, 3).compared("x", ours, other, "1/s", Target.atLeast(2));

        assertThat(result.value()).isEqualTo(90);
        assertThat(result.ratio()).isCloseTo(2.0, within(1e-9));
        assertThat(result.met()).isTrue();
    }

    @Test
    void the_better_one_has_the_higher_median() throws Exception {
        Contender steady = new Scripted("steady", 0, 10, 10, 10);
        Contender lucky = new Scripted("lucky", 0, 1, 1, 1_000);

        assertThat(Rounds.run(List.of(steady, lucky), 1, 3).better(lucky, steady))
                .isSameAs(steady);
    }

    /** Answers with these rates, one per round. */
    private static final class Scripted implements Contender {
        private final String label;
        private final Deque<Double> rates = new ArrayDeque<>();

        Scripted(String label, double... rates) {
            this.label = label;
            for (double rate : rates) {
                this.rates.add(rate);
            }
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public double round() {
            return rates.remove();
        }
    }
}
