package io.postrider.kafka;

import io.postrider.destination.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The events of one dispatch until each has its outcome. Thread-safe. */
final class Flight {
    private final AtomicReferenceArray<Outcome> outcomes;
    private final AtomicInteger underWay;
    private final CompletableFuture<List<Outcome>> answer = new CompletableFuture<>();

    Flight(int events) {
        this.outcomes = new AtomicReferenceArray<>(events);
        this.underWay = new AtomicInteger(events);
        if (events == 0) {
            answer.complete(List.of());
        }
    }

    /** The outcome of this one; a second outcome of the same changes nothing. */
    void land(int index, Outcome outcome) {
        if (outcomes.compareAndSet(index, null, outcome) && underWay.decrementAndGet() == 0) {
            Outcome[] all = new Outcome[outcomes.length()];
            Arrays.setAll(all, outcomes::get);
            answer.complete(List.of(all));
        }
    }

    /** The same outcome for all that have none yet. */
    void landRest(Outcome outcome) {
        for (int i = 0; i < outcomes.length(); i++) {
            land(i, outcome);
        }
    }

    CompletionStage<List<Outcome>> outcomes() {
        return answer;
    }
}
