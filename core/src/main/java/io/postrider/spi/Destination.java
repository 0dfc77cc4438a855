package io.postrider.spi;

import io.postrider.Outcome;
import io.postrider.StoredEvent;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where events go. The engine keeps the order: it never gives an event to a destination before the earlier ones of its
 * key have an outcome.
 *
 * <p>Called by several threads at once.
 */
public interface Destination {

    /** How many events one dispatch may carry. */
    int batch();

    /**
     * Dispatches events in this order and answers one outcome for each, in the same order. May do its work before it
     * returns, or later. A failed stage counts as a retry of each event.
     */
    CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches);

    /** One event on its way to a destination. */
    record Dispatch(String subscription, StoredEvent event, int attempt) {}
}
