package io.postrider.store;

import io.postrider.Position;
import io.postrider.StoredEvent;
import java.util.List;
import java.util.Map;

/** What one read found behind a cursor, in the order in which the events are dispatched. Immutable. */
public interface Page {

    List<StoredEvent> events();

    /**
     * Why no event could be made of what the log has at these positions; the page has what is known of each in its
     * place, and the engine buries it.
     */
    Map<Position, String> defects();

    /** Whether a further read may find more at once. */
    boolean more();

    /**
     * The lane's cursor once the first {@code handled} events of this page have been handled.
     *
     * @throws IllegalArgumentException if the page has fewer events
     */
    Cursor after(int handled);
}
