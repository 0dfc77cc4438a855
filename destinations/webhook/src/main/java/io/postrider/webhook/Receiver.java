package io.postrider.webhook;

import io.postrider.Inbox;
import io.postrider.wire.Incoming;
import java.util.List;

/** Stores verified webhooks: an inbox, usually. Implementations are safe for use by several threads. */
@FunctionalInterface
public interface Receiver {

    /**
     * Stores messages, each once however often it comes, and returns when they are stored: the sender is told then.
     *
     * @throws IllegalArgumentException if no event can be made of a message, however often it comes; the sender is told
     *     so. After any other exception the sender is asked to send it again.
     */
    void receive(List<Incoming> messages);

    /** Into an inbox, under the name of this source. */
    static Receiver into(Inbox inbox, String source) {
        return messages -> inbox.receive(source, messages).refused().forEach(refused -> {
            throw new IllegalArgumentException(refused.why());
        });
    }
}
