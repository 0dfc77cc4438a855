package io.postrider.wire;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message that has come from elsewhere: what it is known by at its source, however often it comes, and the event it
 * brings.
 *
 * @param event with an id of its own only if the message says which; {@link #from} gives it one otherwise
 * @param at when its source stored it, if its id says where it lies there: always the same for the same id
 */
public record Incoming(String id, Event event, @Nullable Instant at) {

    public Incoming {
        if (id.isBlank()) {
            throw new IllegalArgumentException("a message needs an id by which it is known when it comes again");
        }
    }

    /** A message whose id says nothing of a time. */
    public Incoming(String id, Event event) {
        this(id, event, null);
    }

    /**
     * The event as it is stored when it comes from this source. A message id that is a UUID is the event's; of another
     * one and the source a UUID is made, always the same, and the message id is kept in a header.
     */
    public Event from(String source) {
        EventId own = event.id() != null ? event.id() : MessageId.uuid(id);
        EventId stored = own != null ? own : MessageId.hash(source, id, at);
        // A copy that an operator made there for one subscription is not for one of that name here.
        Headers headers = event.headers().without(Headers.ONLY_FOR).with(Headers.SOURCE, source);
        return event.id(stored).headers(own != null ? headers : headers.with(Headers.MESSAGE_ID, id));
    }
}
