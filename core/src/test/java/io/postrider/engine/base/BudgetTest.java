package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.policy.NodeLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetTest {
    private final List<String> called = new ArrayList<>();
    private final Budget budget = new Budget(NodeLimits.builder()
            .subscriptions(s -> s.batchEvents(10).batchBytes(100))
            .inFlightEvents(10)
            .inFlightBytes(100)
            .build());

    @Test
    void what_is_taken_is_gone_until_it_is_given_back() {
        assertThat(budget.take(6, 60, () -> {})).isTrue();
        assertThat(budget.take(6, 10, () -> {})).isFalse();
        assertThat(budget.take(1, 60, () -> {})).isFalse();
        assertThat(budget.take(4, 40, () -> {})).isTrue();
        budget.give(6, 60);
        assertThat(budget.take(6, 60, () -> {})).isTrue();
    }

    @Test
    void who_waits_is_called_in_turn_and_only_when_there_is_enough_for_it() {
        Runnable first = () -> called.add("first");
        Runnable second = () -> called.add("second");
        assertThat(budget.take(10, 100, first)).isTrue();
        assertThat(budget.take(6, 60, first)).isFalse();
        assertThat(budget.take(1, 1, second)).isFalse();
        assertThat(budget.take(6, 60, first)).isFalse();
        budget.give(5, 50);
        assertThat(called).isEmpty();
        budget.give(1, 10);
        assertThat(called).containsExactly("first");
        budget.give(1, 10);
        assertThat(called).containsExactly("first", "second");
        budget.give(3, 30);
        assertThat(called).hasSize(2);
    }

    @Test
    void one_that_was_called_and_takes_nothing_lets_the_next_be_called() {
        Runnable ended = () -> {
            called.add("ended");
            budget.next();
        };
        assertThat(budget.take(10, 100, ended)).isTrue();
        assertThat(budget.take(1, 1, ended)).isFalse();
        assertThat(budget.take(1, 1, () -> called.add("second"))).isFalse();
        budget.give(10, 100);
        assertThat(called).containsExactly("ended", "second");
    }
}
