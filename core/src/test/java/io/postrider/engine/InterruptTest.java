package io.postrider.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.AfterDead;
import io.postrider.Counts;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Outcome;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.spi.Claim;
import io.postrider.spi.Cursor;
import io.postrider.spi.Delivery;
import io.postrider.spi.Ownership;
import io.postrider.spi.Settlement;
import io.postrider.spi.StoreException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gives up a call interrupts the thread that is in it, and never what that thread does next. */
class InterruptTest {
    private static final StoredEvent EVENT = new StoredEvent(
            new Position(1),
            new Lane(0),
            new EventId(new UUID(0, 1)),
            "letter",
            "ann",
            "{}",
            Headers.NONE,
            null,
            Instant.EPOCH);
    private static final Outcome LATE = Outcome.retry("late");

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    // ---- calls of a dispatcher --------------------------------------------------------------------------------------

    @Test
    void a_call_that_is_given_up_interrupts_its_worker_who_is_replaced() {
        PendingCall call = call();
        assertThat(call.giveUp()).isEqualTo(new PendingCall.Abandoned(true, true));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(call.leave()).as("the worker is kept").isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(call.end()).isFalse();
    }

    @Test
    void a_call_whose_worker_has_left_is_given_up_without_it() {
        PendingCall call = call();
        assertThat(call.leave()).as("the worker is kept").isTrue();
        assertThat(call.giveUp()).isEqualTo(new PendingCall.Abandoned(true, false));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void a_call_that_has_ended_interrupts_nobody() {
        PendingCall call = call();
        assertThat(call.end()).isTrue();
        assertThat(call.giveUp().first()).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void an_interrupt_of_somebody_else_is_left_to_them() {
        PendingCall call = call();
        Thread.currentThread().interrupt();
        assertThat(call.leave()).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    private static PendingCall call() {
        Batch.Chunk chunk = new Batch.Chunk(batch(), Answer.delivered("one"), List.of(item()));
        return new PendingCall(chunk, 0, Thread.currentThread(), 1);
    }

    // ---- tasks of a queue -------------------------------------------------------------------------------------------

    @Test
    void a_task_that_is_given_up_interrupts_its_thread_until_it_has_left() {
        RunningTask task = task();
        task.enter();
        task.giveUp(LATE);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        task.leave();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        task.giveUp(LATE);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    private static RunningTask task() {
        Delivery row = Delivery.task(EVENT, Instant.EPOCH).running(1);
        return new RunningTask(new Claim.ClaimedDelivery(row, EVENT), Answer.delivered("one"), 0);
    }

    // ---- transactions -----------------------------------------------------------------------------------------------

    @Test
    void a_flight_that_is_given_up_interrupts_its_worker_until_it_has_ended() {
        LaneClaim.Claimed claimed = new LaneClaim.Claimed(List.of(), null, Set.of());
        Flight flight = new Flight(batch(), claimed, new Flight.Reserved(0, 0), 0);
        LaneState.Draft draft = new LaneState.Draft(
                new Ownership("s", new Lane(0), 1, ""), 1, Cursor.after(0), Counts.NONE, List.of(), null);
        EffectFlight effects = new EffectFlight(flight, draft, new Silent());
        assertThat(effects.begin(Thread.currentThread(), 0)).isTrue();
        assertThat(effects.giveUp("late")).isEqualTo(EffectFlight.GivenUp.WITH_WORKER);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(effects.end()).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    private static Batch batch() {
        return new Batch(List.of(item()), AfterDead.GO_ON, 0, () -> Instant.EPOCH, Batch.Listener.NOBODY);
    }

    private static Item item() {
        return new Item(EVENT, "ann", null, Answer.delivered("one"));
    }

    private static final class Silent implements EffectFlight.Lane {
        @Override
        public void settled(Settlement written, Verdicts verdicts) {}

        @Override
        public void undone() {}

        @Override
        public void lost() {}

        @Override
        public void failing(StoreException failure) {}
    }
}
