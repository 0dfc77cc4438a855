package io.postrider.simulation;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.memory.MemoryStore;
import io.postrider.operate.Delivery;
import io.postrider.policy.Schedule;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TaskBooksTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Lane LANE = new Lane(0);
    private static final Position POSITION = new Position(1);

    private Instant now = SimulatedEnvironment.EPOCH;
    private final TaskBooks books =
            new Oracle(new Scheduler(new SplittableRandom(1)), MemoryStore.create(), Plan.plain(1), () -> now).tasks();

    @Test
    void a_claim_is_renewed_and_settled_once() {
        claim(7);
        assertThatCode(() -> renew(7)).doesNotThrowAnyException();
        assertThatCode(() -> settle(7)).doesNotThrowAnyException();
    }

    @Test
    void a_second_settle_of_a_claim_is_noticed() {
        claim(7);
        settle(7);
        assertThatThrownBy(() -> settle(7)).isInstanceOf(Scheduler.Gone.class);
    }

    @Test
    void a_renewal_of_a_claim_that_has_ended_is_noticed() {
        claim(7);
        settle(7);
        assertThatThrownBy(() -> renew(7)).isInstanceOf(Scheduler.Gone.class);
    }

    @Test
    void a_settle_of_a_claim_that_ran_out_is_noticed_after_the_next_claim_has_ended() {
        claim(7);
        now = now.plus(LEASE);
        claim(8);
        settle(8);
        assertThatThrownBy(() -> settle(7)).isInstanceOf(Scheduler.Gone.class);
    }

    /** A store that crashed hands numbers of claims out again. */
    @Test
    void ended_claims_are_forgotten_when_the_books_are_cleared() {
        claim(7);
        settle(7);
        books.clear();
        claim(7);
        assertThatCode(() -> settle(7)).doesNotThrowAnyException();
    }

    private void claim(long number) {
        Delivery row = new Delivery(
                POSITION,
                EventId.of("00000000-0000-7000-8000-000000000001"),
                "letter",
                null,
                Delivery.Status.RUNNING,
                1,
                now,
                false,
                null,
                Schedule.NONE);
        Tasks.Claimant claimant = new Tasks.Claimant("node-1", "queue", LEASE, Duration.ZERO, Tasks.Types.ALL);
        observe(
                "claim",
                List.of(Claim.ClaimedDelivery.defective(row, LANE, "none").under(number)),
                claimant,
                1);
    }

    private void renew(long number) {
        observe("renew", held(number), "queue", held(number), LEASE);
    }

    private void settle(long number) {
        observe("settle", held(number), "queue", List.of());
    }

    private void observe(String call, Object answer, Object... arguments) {
        books.observe("node-1", call, arguments, answer);
    }

    private static Set<Tasks.HeldTask> held(long number) {
        return Set.of(new Tasks.HeldTask(LANE, POSITION, number));
    }
}
