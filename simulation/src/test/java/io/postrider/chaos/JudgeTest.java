package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A judge that sees nothing would find every scenario fine. */
class JudgeTest {
    private final NumberedEvent first = event("a", 1);
    private final NumberedEvent second = event("a", 2);
    private final NumberedEvent other = event("b", 1);
    private final WriterLedger ledger = new WriterLedger();

    @Test
    void what_arrived_once_and_in_order_is_fine() {
        ledger.committed(List.of(first, second, other));
        Judge judge = judge(List.of(first, second, other), other, first, second);
        assertThat(judge.committed()).isEqualTo(3);
        assertThat(judge.lost()).isEmpty();
        assertThat(judge.inversions()).isEmpty();
        assertThat(judge.resurrected()).isEmpty();
        assertThat(judge.duplicates()).isZero();
    }

    @Test
    void a_committed_event_that_never_arrived_is_lost() {
        ledger.committed(List.of(first, second));
        assertThat(judge(List.of(first, second), first).lost()).containsExactly(second);
    }

    @Test
    void an_event_is_lost_too_if_postgresql_forgot_what_it_had_acknowledged() {
        ledger.committed(List.of(first));
        assertThat(judge(List.of()).lost()).containsExactly(first);
    }

    @Test
    void an_event_of_unknown_outcome_counts_if_postgresql_has_it_and_not_if_it_has_not() {
        ledger.unknown(List.of(first, other));
        assertThat(judge(List.of(first)).lost()).containsExactly(first);
    }

    @Test
    void an_event_that_arrived_without_a_commit_is_resurrected() {
        ledger.undone(List.of(first));
        assertThat(judge(List.of(), first).resurrected()).containsExactly(first);
    }

    @Test
    void order_is_judged_within_a_key_by_the_first_arrival() {
        List<NumberedEvent> committed = List.of(first, second, other);
        assertThat(judge(committed, second, first, other).inversions()).containsExactly(second);
        assertThat(judge(committed, first, second, first, other).inversions()).isEmpty();
    }

    @Test
    void arrivals_beyond_the_first_are_duplicates() {
        assertThat(judge(List.of(first, other), first, other, first, first).duplicates())
                .isEqualTo(2);
    }

    @Test
    void recovery_lasts_until_the_last_late_event_has_come() {
        ledger.committed(List.of(first, second));
        Moment commit = Moment.now();
        List<Arrival> arrivals = List.of(
                new Arrival(first, "node", commit.plus(Duration.ofMillis(1_500))),
                new Arrival(second, "node", commit.plus(Duration.ofMillis(4_000))));
        Judge judge = new Judge(List.of(first, second), ledger, arrivals, Order.OF_KEYS);
        assertThat(judge.recovery(commit)).isEqualTo(Duration.ofMillis(4_000));
        assertThat(judge.recovery(commit.plus(Duration.ofMillis(3_000)))).isEqualTo(Duration.ofMillis(1_000));
        assertThat(judge.recovery(commit.plus(Duration.ofMillis(5_000)))).isEqualTo(Duration.ZERO);
    }

    @Test
    void an_event_that_came_by_a_replay_may_be_out_of_order_and_late_and_must_come() {
        ledger.committed(List.of(first, second));
        Moment commit = Moment.now();
        List<Arrival> arrivals = List.of(
                new Arrival(second, "node", commit), new Arrival(first, "node", commit.plus(Duration.ofSeconds(9))));
        Order replayed = Order.OF_KEYS.replayed(Set.of(first.id()));
        Judge judge = new Judge(List.of(first, second), ledger, arrivals, replayed);
        assertThat(judge.inversions()).isEmpty();
        assertThat(judge.recovery(commit)).isEqualTo(Duration.ZERO);
        assertThat(new Judge(List.of(first, second), ledger, arrivals.subList(0, 1), replayed).lost())
                .containsExactly(first);
        assertThat(new Judge(List.of(first, second), ledger, arrivals, Order.OF_KEYS).inversions())
                .containsExactly(second);
    }

    private Judge judge(List<NumberedEvent> stored, NumberedEvent... arrived) {
        return new Judge(
                stored,
                ledger,
                List.of(arrived).stream()
                        .map(event -> new Arrival(event, "node", Moment.now()))
                        .toList(),
                Order.OF_KEYS);
    }

    private static NumberedEvent event(String key, long sequence) {
        return new NumberedEvent(UUID.randomUUID(), key, sequence);
    }
}
