package io.postrider.memory.destination;

import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A sound destination to a {@link FakeBroker}. Thread-safe. */
final class FakeDestination implements Guarded, AutoCloseable {
    static final Profile PROFILE = new Profile("fake", 16, 64, Duration.ofSeconds(1));
    private static final String STREAM = "letters";

    private final FakeBroker broker;
    private final Duration patience;
    private volatile boolean closed;

    FakeDestination(FakeBroker broker, Duration patience) {
        this.broker = broker;
        this.patience = patience;
    }

    @Override
    public Profile profile() {
        return PROFILE;
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        List<CompletableFuture<Outcome>> each = dispatches.stream()
                .map(Destination.Dispatch::event)
                .map(this::dispatch)
                .toList();
        return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
                .thenApply(done -> each.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<Outcome> dispatch(StoredEvent event) {
        if (closed) {
            return CompletableFuture.completedFuture(Outcome.down("it is closed"));
        }
        return inTime(broker.send(event))
                .thenApply(sequence -> (Outcome) new Outcome.Delivered(new Receipt(STREAM, sequence)))
                .exceptionally(FakeDestination::failed);
    }

    private static Outcome failed(Throwable failure) {
        Throwable cause = cause(failure);
        String why = String.valueOf(cause.getMessage());
        return cause instanceof FakeBroker.Refused ? Outcome.dead(why) : Outcome.down(why);
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    @Override
    public CompletionStage<Void> probe() {
        return closed
                ? CompletableFuture.failedStage(new IOException("it is closed"))
                : inTime(broker.ping()).thenApply(answer -> null);
    }

    private <R> CompletableFuture<R> inTime(CompletableFuture<R> answer) {
        return answer.copy()
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException
                                ? new IOException("no answer within " + patience.toMillis() + " ms")
                                : cause(failure)));
    }

    @Override
    public void onCutOff(Consumer<String> listener) {
        broker.onCutOff(listener);
    }

    @Override
    public CompletionStage<List<Boolean>> verify(List<Sealed> seals) {
        return inTime(broker.ping())
                .thenApply(answer -> seals.stream()
                        .map(seal -> broker.has(seal.receipt().sequence(), seal.event()))
                        .toList());
    }

    @Override
    public void close() {
        closed = true;
    }
}
