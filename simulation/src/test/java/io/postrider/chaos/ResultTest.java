package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each promise alone decides. */
class ResultTest {
    private static final Result.Timing IN_TIME = new Result.Timing(4_000, 3_000, 6_000);

    @Test
    void it_held_if_nothing_is_wrong_and_a_crash_may_repeat_events() {
        assertThat(held(new NodeKilled(), 0, 0, 0, 7)).isTrue();
    }

    @Test
    void one_event_that_is_lost_or_out_of_order_or_was_rolled_back_breaks_it() {
        assertThat(held(new NodeKilled(), 1, 0, 0, 0)).isFalse();
        assertThat(held(new NodeKilled(), 0, 1, 0, 0)).isFalse();
        assertThat(held(new NodeKilled(), 0, 0, 1, 0)).isFalse();
    }

    @Test
    void an_orderly_stop_may_repeat_nothing() {
        assertThat(held(new RollingRestart(), 0, 0, 0, 0)).isTrue();
        assertThat(held(new RollingRestart(), 0, 0, 0, 1)).isFalse();
    }

    @Test
    void recovery_has_a_limit() {
        assertThat(result(new NodeKilled(), clean(0), new Result.Timing(9_000, 6_000, 6_000))
                        .held())
                .isTrue();
        assertThat(result(new NodeKilled(), clean(0), new Result.Timing(9_000, 6_001, 6_000))
                        .held())
                .isFalse();
    }

    @Test
    void a_promise_of_the_scenario_alone_breaks_it_too() {
        Result.Volume volume = new Result.Volume(300, 3_000, 1_000, 100, 0);
        List<String> broken = List.of("prune did not keep up");
        Result result = Result.of(new Transactions(), Fault.over("proven"), volume, clean(0), IN_TIME, broken);
        assertThat(result.held()).isFalse();
        assertThat(result.broken()).isEqualTo(broken);
    }

    private static boolean held(Scenario scenario, int lost, int inversions, int resurrected, int duplicates) {
        return result(scenario, new Result.Verdict(lost, inversions, resurrected, duplicates, List.of()), IN_TIME)
                .held();
    }

    private static Result.Verdict clean(int duplicates) {
        return new Result.Verdict(0, 0, 0, duplicates, List.of());
    }

    private static Result result(Scenario scenario, Result.Verdict verdict, Result.Timing timing) {
        Result.Volume volume = new Result.Volume(300, 3_000, 1_000, 100, 0);
        return Result.of(scenario, Fault.over("proven"), volume, verdict, timing, List.of());
    }
}
