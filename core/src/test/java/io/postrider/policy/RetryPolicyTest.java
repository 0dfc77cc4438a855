package io.postrider.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private final Random random = new Random(7);

    @Test
    void pauses_double_up_to_the_cap() {
        RetryPolicy policy = RetryPolicy.DEFAULT.jitter(0);
        assertThat(IntStream.rangeClosed(1, 9)
                        .mapToObj(attempt -> policy.pause(attempt, random).toSeconds()))
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
        assertThat(policy.pause(Integer.MAX_VALUE, random)).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void jitter_only_shortens() {
        RetryPolicy policy = RetryPolicy.DEFAULT
                .pauses(Duration.ofSeconds(8), Duration.ofSeconds(8))
                .jitter(0.25);
        assertThat(IntStream.range(0, 1_000).mapToObj(i -> policy.pause(1, random)))
                .allSatisfy(pause -> assertThat(pause).isBetween(Duration.ofSeconds(6), Duration.ofSeconds(8)))
                .anySatisfy(pause -> assertThat(pause).isLessThan(Duration.ofSeconds(7)));
    }

    @Test
    void a_pause_may_be_nothing() {
        RetryPolicy policy = RetryPolicy.DEFAULT.pauses(Duration.ZERO, Duration.ZERO);
        assertThat(policy.pause(5, random)).isZero();
    }

    @Test
    void fatal_exceptions_include_their_subclasses() {
        RetryPolicy policy = RetryPolicy.DEFAULT.fatal(IOException.class, IllegalStateException.class);
        assertThat(policy.isFatal(new FileNotFoundException())).isTrue();
        assertThat(policy.isFatal(new IllegalStateException())).isTrue();
        assertThat(policy.isFatal(new RuntimeException(new IOException()))).isFalse();
        assertThat(RetryPolicy.DEFAULT.isFatal(new IOException())).isFalse();
    }

    @Test
    void what_makes_no_sense_is_refused_with_its_value() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.DEFAULT.attempts(0))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.DEFAULT.immediate(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.DEFAULT.pauses(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .withMessageContaining("PT2S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.DEFAULT.jitter(Double.NaN))
                .withMessageContaining("NaN");
    }

    @Test
    void the_longest_time_is_all_pauses_and_all_attempts() {
        RetryPolicy policy = RetryPolicy.DEFAULT.attempts(5).pauses(Duration.ofSeconds(1), Duration.ofSeconds(3));
        assertThat(policy.longest(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(5 * 10 + 1 + 2 + 3 + 3));
        assertThat(policy.attempts(1).longest(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(10));
        assertThat(policy.pauses(Duration.ZERO, Duration.ofSeconds(3)).longest(Duration.ZERO))
                .isZero();
        assertThat(policy.attempts(Integer.MAX_VALUE).longest(Duration.ofHours(1)))
                .isGreaterThan(Duration.ofHours(Integer.MAX_VALUE));
    }
}
