package io.postrider.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.postrider.benchmarks.report.Figure;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
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

        assertThat(result.value()).isEqualTo(new Figure.Measured(90));
        assertThat(result.ratio()).isCloseTo(2.0, within(1e-9));
        assertThat(result.met()).isTrue();
    }

    @Test
    void the_better_one_has_the_higher_median() throws Exception {
        Contender steady = new Scripted("steady", 0, 10, 10, 10);
        Contender lucky = new Scripted("lucky", 0, 1, 1, 1_000);

        assertThat(Rounds.run(List.of(steady, lucky), 1, 3).best(List.of(lucky, steady)))
                .isSameAs(steady);
    }

    @Test
    void the_best_and_the_worst_of_several_are_told_by_their_medians() throws Exception {
        Contender low = new Scripted("low", 0, 5, 6, 7);
        Contender middle = new Scripted("middle", 0, 10, 11, 12);
        Contender high = new Scripted("high", 0, 20, 21, 22);
        List<Contender> all = List.of(middle, high, low);

        Rounds rounds = Rounds.run(all, 1, 3);

        assertThat(rounds.best(all)).isSameAs(high);
        assertThat(rounds.worst(all)).isSameAs(low);
        assertThat(rounds.compared("x", low, high, "1/s", Target.atLeast(0.85)).met())
                .isFalse();
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
