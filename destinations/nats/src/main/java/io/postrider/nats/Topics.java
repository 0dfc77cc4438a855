package io.postrider.nats;

import io.postrider.StoredEvent;
import java.util.function.Function;

/**
 * How an event's topic is found, and the subject it is published to: the prefix and the topic.
 *
 * @param prefix what subjects begin with, a dot at its end included, or nothing
 * @param topic a function that always says the same of an event; called by several threads at once
 * @param unicode whether subjects may have characters outside ASCII, which not every client can read
 */
public record Topics(String prefix, Function<StoredEvent, String> topic, boolean unicode) {
    public Topics {
        String reason = prefix.isEmpty() ? null : Subjects.illegal(prefix + "x", unicode);
        if (reason != null) {
            throw new IllegalArgumentException("no subject can begin with '" + prefix + "': " + reason);
        }
    }

    /** The event's type is its topic and its subject. */
    public static Topics byType() {
        return new Topics("", StoredEvent::type, false);
    }

    public Topics prefix(String prefix) {
        return new Topics(prefix, topic, unicode);
    }

    public Topics topic(Function<StoredEvent, String> topic) {
        return new Topics(prefix, topic, unicode);
    }

    public Topics unicode(boolean unicode) {
        return new Topics(prefix, topic, unicode);
    }
}
