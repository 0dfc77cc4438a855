package io.postrider.memory.destination;

import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** A destination that leaves everything to another: neither connected nor guarded, until someone breaks it. */
class Forwarding implements Destination, AutoCloseable {
    final FakeDestination to;

    Forwarding(FakeDestination to) {
        this.to = to;
    }

    @Override
    public Profile profile() {
        return to.profile();
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        return to.dispatch(dispatches);
    }

    @Override
    public CompletionStage<Void> probe() {
        return to.probe();
    }

    @Override
    public void close() {
        to.close();
    }

    /** One that says something else than what happened. */
    static Forwarding saying(FakeDestination to, UnaryOperator<Outcome> lie) {
        return new Forwarding(to) {
            @Override
            public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
                return super.dispatch(dispatches)
                        .thenApply(outcomes -> outcomes.stream().map(lie).toList());
            }
        };
    }
}
