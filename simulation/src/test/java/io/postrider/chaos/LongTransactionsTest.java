package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LongTransactionsTest {
    private final Moment begin = Moment.now();

    @Test
    void transactions_that_overlap_leave_no_gap() {
        assertThat(LongTransactions.gaps(List.of(open(0, 500), open(100, 200), open(400, 900))))
                .isEqualTo(Duration.ZERO);
    }

    @Test
    void time_without_an_open_one_is_a_gap() {
        assertThat(LongTransactions.gaps(List.of(open(0, 500), open(100, 200), open(530, 900), open(1_000, 1_300))))
                .isEqualTo(Duration.ofMillis(130));
    }

    private LongTransactions.Open open(int from, int to) {
        return new LongTransactions.Open(begin.plus(Duration.ofMillis(from)), begin.plus(Duration.ofMillis(to)));
    }
}
