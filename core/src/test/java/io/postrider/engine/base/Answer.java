package io.postrider.engine.base;

import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A destination that answers at once, with the same outcome for everything. */
public record Answer(String name, int batch, Outcome outcome) implements Destination {

    public static Answer delivered(String name) {
        return new Answer(name, 1, Outcome.DELIVERED);
    }

    public static Answer inBatchesOf(int batch) {
        return new Answer("batches", batch, Outcome.DELIVERED);
    }

    @Override
    public Profile profile() {
        return Profile.handlers(batch);
    }

    @Override
    public CompletionStage<Void> probe() {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        return CompletableFuture.completedStage(Collections.nCopies(dispatches.size(), outcome));
    }
}
