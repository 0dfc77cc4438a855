package io.postrider;

import io.postrider.wire.Incoming;
import java.util.List;

/**
 * Stores messages from elsewhere as events of a log, each message once however often it arrives. Subscriptions deliver
 * these events like all others. Thread-safe.
 */
public interface Inbox {

    /** The event type of a stored message that no decoder could read. */
    String UNDECODABLE = "postrider.undecodable";

    /** The event type of a stored message that a direct consumer gave up. */
    String POISON = "postrider.poison";

    /**
     * Stores the messages that this source has not delivered before, in this order. They are committed on return, so
     * the source may forget them. A refused message does not stop the others.
     *
     * @param source the name of the source; with the message's id it identifies a message, so all receivers use the
     *     same name, for good
     * @throws io.postrider.store.StoreException if the store does not answer; receiving the messages again is safe
     */
    Received receive(String source, List<Incoming> messages);

    /**
     * The result for one call: what became of its messages.
     *
     * @param stored how many messages were new
     * @param repeated how many messages were received before, or stand twice in the call
     * @param refused messages that no log takes, however often they arrive
     */
    record Received(int stored, int repeated, List<Refused> refused) {
        public Received {
            refused = List.copyOf(refused);
        }
    }

    /** A message that was not stored, and why. */
    record Refused(Incoming message, String why) {}
}
