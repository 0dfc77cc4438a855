package io.postrider;

import io.postrider.wire.Incoming;
import java.util.List;

/**
 * Where messages from elsewhere are stored, once each however often they come, and delivered from by subscriptions like
 * everything else in a log. Thread-safe.
 */
public interface Inbox {

    /** The type under which a message is kept of which no event could be made. */
    String UNDECODABLE = "postrider.undecodable";

    /** The type under which a message is kept that a direct consumer has given up. */
    String POISON = "postrider.poison";

    /**
     * Stores those that have not been received from this source before, in this order. When it returns they are
     * committed, and the source may forget them. One that is refused does not stop the others.
     *
     * @param source the same for all who receive these messages, for good: a message is known by it and its id
     * @throws io.postrider.store.StoreException if the store does not answer; whoever receives them again does no harm
     */
    Received receive(String source, List<Incoming> messages);

    /**
     * What became of messages.
     *
     * @param stored how many are new
     * @param repeated how many had been received before, or were there twice
     * @param refused those that no log takes, however often they come
     */
    record Received(int stored, int repeated, List<Refused> refused) {
        public Received {
            refused = List.copyOf(refused);
        }
    }

    /** A message that was not stored, and why. */
    record Refused(Incoming message, String why) {}
}
