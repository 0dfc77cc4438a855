package io.postrider.nats;

import io.postrider.destination.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The events of one dispatch on their way. Each has the first outcome it is given. Thread-safe. */
final class Flight {
    private final @Nullable Outcome[] outcomes;
    private final @Nullable Seat[] seats;
    private final long departedNanos = System.nanoTime();
    private final CompletableFuture<List<Outcome>> answer = new CompletableFuture<>();
    private int under;

    Flight(int events) {
        this.outcomes = new Outcome[events];
        this.seats = new Seat[events];
        this.under = events;
    }

    CompletionStage<List<Outcome>> answer() {
        return answer;
    }

    boolean isOver() {
        return answer.isDone();
    }

    boolean departedBefore(long nanos) {
        return departedNanos - nanos < 0;
    }

    void board(Seat seat) {
        seats[seat.index()] = seat;
    }

    /** Gives this outcome to all that go to a subject the server has complained about. */
    void settleNamed(String complaint, Outcome outcome) {
        for (Seat seat : seats) {
            if (seat != null && complaint.contains('"' + seat.target().subject() + '"')) {
                settle(seat.index(), outcome);
            }
        }
    }

    void settle(int index, Outcome outcome) {
        synchronized (this) {
            if (outcomes[index] != null) {
                return;
            }
            outcomes[index] = outcome;
            if (--under > 0) {
                return;
            }
        }
        finish();
    }

    /** Gives this outcome to all that have none. */
    void settleRest(Outcome outcome) {
        synchronized (this) {
            if (under == 0) {
                return;
            }
            under = 0;
            for (int i = 0; i < outcomes.length; i++) {
                if (outcomes[i] == null) {
                    outcomes[i] = outcome;
                }
            }
        }
        finish();
    }

    @SuppressWarnings("NullAway") // none is null any more
    private void finish() {
        answer.complete(Arrays.asList(outcomes));
    }
}
