package io.postrider.destination;

import io.postrider.EventId;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A destination that can lose what it has acknowledged: its outcomes have receipts, which are stored with each
 * settlement. Whenever it was away, and whenever a lane changes hands, the engine asks for them again and dispatches
 * what is gone.
 */
public interface Guarded extends Connected {

    /** Whether each of these is still where it was, in the same order. A failed stage says why nobody knows. */
    CompletionStage<List<Boolean>> verify(List<Sealed> seals);

    /** The event that was acknowledged with this receipt. */
    record Sealed(Receipt receipt, EventId event) {}
}
