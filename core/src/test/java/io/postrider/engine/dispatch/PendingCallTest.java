package io.postrider.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Environment;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Hands;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.StoreTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gives up a call interrupts the thread that is in it, and never what that thread does next. */
class PendingCallTest {
    private static final Outcome LATE = Outcome.retry("late");

    private final PendingCall call = new PendingCall();

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    void a_call_that_is_given_up_interrupts_its_worker_who_is_replaced() {
        call.enter(0);
        assertThat(call.giveUp(LATE)).isEqualTo(PendingCall.GivenUp.WITH_WORKER);
        assertInterrupted(true);
        assertThat(call.leave()).as("the worker is kept").isFalse();
        assertInterrupted(false);
        assertThat(call.end()).isFalse();
    }

    @Test
    void a_call_whose_worker_has_left_is_given_up_without_it() {
        call.enter(0);
        assertThat(call.leave()).as("the worker is kept").isTrue();
        assertThat(call.giveUp(LATE)).isEqualTo(PendingCall.GivenUp.WITHOUT_WORKER);
        assertInterrupted(false);
    }

    @Test
    void a_call_that_is_given_up_twice_interrupts_once() {
        call.enter(0);
        call.giveUp(LATE);
        call.leave();
        assertThat(call.giveUp(LATE)).isEqualTo(PendingCall.GivenUp.NO);
        assertInterrupted(false);
    }

    @Test
    void a_call_that_has_ended_interrupts_nobody() {
        call.enter(0);
        assertThat(call.end()).isTrue();
        assertThat(call.giveUp(LATE)).isEqualTo(PendingCall.GivenUp.NO);
        assertInterrupted(false);
    }

    @Test
    void a_call_that_was_given_up_before_it_began_is_not_entered() {
        assertThat(call.giveUp(LATE)).isEqualTo(PendingCall.GivenUp.WITHOUT_WORKER);
        assertThat(call.enter(0)).isFalse();
        assertThat(call.leave()).as("the worker is kept").isTrue();
    }

    @Test
    void an_interrupt_of_somebody_else_is_left_to_them() {
        call.enter(0);
        Thread.currentThread().interrupt();
        assertThat(call.leave()).isTrue();
        assertInterrupted(true);
    }

    @Test
    void a_call_runs_from_its_last_entry_until_it_has_ended() {
        assertThat(call.runningNanos(5)).isNull();
        call.enter(10);
        assertThat(call.runningNanos(15)).isEqualTo(5);
        call.enter(20);
        assertThat(call.runningNanos(25)).isEqualTo(5);
        call.end();
        assertThat(call.runningNanos(30)).isNull();
    }

    @Test
    void the_batch_of_a_call_is_ended_before_its_worker_hears_of_it() {
        List<Boolean> interrupted = new ArrayList<>();
        call.enter(0);
        call.giveUp(LATE, () -> interrupted.add(Thread.currentThread().isInterrupted()));
        call.giveUp(LATE, () -> interrupted.add(true));
        assertThat(interrupted).containsExactly(false);
    }

    @Test
    void a_destination_hears_outside_the_lock_that_its_call_was_given_up() throws Exception {
        CompletableFuture<Boolean> answered = new CompletableFuture<>();
        call.makes(made(new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean interrupt) {
                Thread reader = new Thread(() -> answered.complete(call.end()));
                reader.start(); // answers while it is waited for, as a destination may that has a lock of its own
                assertThat(answered.orTimeout(20, TimeUnit.SECONDS).join()).isFalse();
                return true;
            }
        }));
        call.giveUp(LATE);
        call.tellGivenUp();
        assertThat(answered).isCompletedWithValue(false);
    }

    @Test
    void a_destination_that_fails_as_it_hears_so_fails_nobody_else() {
        call.enter(0);
        call.makes(made(new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean interrupt) {
                throw new IllegalStateException("the connection is closed already");
            }
        }));
        assertThat(call.giveUp(LATE)).isEqualTo(PendingCall.GivenUp.WITH_WORKER);
        call.tellGivenUp();
        assertInterrupted(true);
    }

    private static Calls.Call made(CompletableFuture<List<Outcome>> answer) {
        Environment environment = new Hands();
        Observers observers = new Observers(List.of());
        Calls calls = new Calls(
                new StoreTime(environment), observers, new Circuits(environment, Duration.ofHours(1), observers));
        Calls.Call made = calls.of(new Answering(answer), List.of());
        made.dispatch();
        return made;
    }

    private record Answering(CompletableFuture<List<Outcome>> answer) implements Destination {
        @Override
        public Profile profile() {
            return new Profile("answering", 1, 1, Duration.ZERO);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return answer;
        }

        @Override
        public CompletionStage<Void> probe() {
            return new CompletableFuture<>();
        }
    }

    private static void assertInterrupted(boolean expected) {
        assertThat(Thread.currentThread().isInterrupted()).isEqualTo(expected);
    }
}
