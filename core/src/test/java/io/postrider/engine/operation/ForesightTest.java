package io.postrider.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.engine.base.Hands;
import io.postrider.engine.base.Observers;
import io.postrider.engine.dispatch.Routes;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.store.Foresee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A look every ten seconds, at a subscription that is said to be doing this or that. */
class ForesightTest {
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

    private final Hands clock = new Hands();
    private final List<Duration> told = new ArrayList<>();
    private final Observers observers = new Observers(List.of(observation -> {
        if (observation instanceof Observation.ExpiryThreatened threatened) {
            told.add(threatened.shortBy());
        }
    }));
    private Foresight foresight = new Foresight(clock, spec(null), observers);

    @Test
    void one_whose_turn_comes_too_late_at_the_present_rate_is_told_by_how_much() {
        look(0, waiting(1_000, 300));
        look(100, waiting(1_000, 60)); // ten a second: its turn is in 100 s
        assertThat(told).containsExactly(Duration.ofSeconds(40));
    }

    @Test
    void the_most_threatened_counts() {
        look(0, waiting(1, 300));
        look(100, waiting(500, 40), waiting(1_000, 70), waiting(2_000, 300));
        assertThat(told).containsExactly(Duration.ofSeconds(30));
    }

    @Test
    void a_threat_is_told_while_it_lasts_and_once_when_it_is_over() {
        look(0, waiting(1_000, 300));
        look(100, waiting(1_000, 60));
        look(200, waiting(1_000, 50));
        look(5_200, waiting(6_000, 40));
        look(10_200, waiting(6_000, 40));
        assertThat(told).containsExactly(Duration.ofSeconds(40), Duration.ofSeconds(50), Duration.ZERO);
    }

    @Test
    void one_that_makes_it_is_not_told() {
        look(0, waiting(1_000, 300));
        look(100, waiting(1_000, 101));
        assertThat(told).isEmpty();
    }

    @Test
    void nothing_is_judged_by_a_rate_that_was_low_for_want_of_work() {
        look(0);
        look(1, waiting(1_000, 1));
        assertThat(told).as("nothing had waited before").isEmpty();
        look(1_001, waiting(1, 1));
        look(1_002, waiting(1, 1));
        assertThat(told).as("it is as near as what was done meanwhile").isEmpty();
    }

    @Test
    void where_nothing_is_done_at_all_one_each_look_is_assumed() {
        look(0, waiting(1, 300));
        look(0, waiting(7, 30));
        assertThat(told).containsExactly(Duration.ofSeconds(40));
    }

    @Test
    void tasks_that_were_only_fed_or_have_expired_are_not_done() {
        foresight = new Foresight(clock, spec(Queue.DEFAULT), observers);
        foresight.look(outlook(Counts.NONE, waiting(1_000, 300)));
        clock.move(BETWEEN_LOOKS);
        foresight.look(outlook(new Counts(100, 0, 5_000, 0, 5_000, 0), waiting(1_000, 60)));
        assertThat(told).containsExactly(Duration.ofSeconds(40));
    }

    private void look(long done, Foresee.Waiting... waiting) {
        foresight.look(outlook(new Counts(done, 0, 0, 0, 0, 0), waiting));
        clock.move(BETWEEN_LOOKS);
    }

    private Foresee.Waiting waiting(long before, long expiresInSeconds) {
        return new Foresee.Waiting(before, clock.now().plusSeconds(expiresInSeconds));
    }

    private static Foresee outlook(Counts counts, Foresee.Waiting... waiting) {
        Foresee.Outlook outlook = new Foresee.Outlook(counts, List.of(waiting));
        return new Foresee() {
            @Override
            public Outlook events(String subscription) {
                return outlook;
            }

            @Override
            public Outlook tasks(String subscription) {
                return outlook;
            }
        };
    }

    private static SubscriptionSpec spec(@Nullable Queue queue) {
        return new SubscriptionSpec(
                "s",
                Start.beginning(),
                queue == null,
                AfterDead.GO_ON,
                RetryPolicy.DEFAULT,
                Map.of(),
                new Routes(Map.of()),
                SubscriptionLimits.DEFAULT,
                queue,
                null,
                Retention.DEFAULT,
                null);
    }
}
