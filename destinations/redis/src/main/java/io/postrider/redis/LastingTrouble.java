package io.postrider.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A kind of answer that Redis does not take: told once when that begins, and once when it is over. Thread-safe. */
final class LastingTrouble {
    private static final Logger LOG = LoggerFactory.getLogger(RedisStreamSource.class);

    private final String stream;
    private final String done;
    private final String rights;
    private final AtomicBoolean lasts = new AtomicBoolean();

    /**
     * @param done what the answer says of an entry, such as "acknowledged"
     * @param rights the commands that a user needs for it
     */
    LastingTrouble(String stream, String done, String rights) {
        this.stream = stream;
        this.done = done;
        this.rights = rights;
    }

    void failed(String id, String why) {
        if (lasts.compareAndSet(false, true)) {
            LOG.warn(
                    "Entries of '{}' cannot be {}, the first is {}; each comes again, also after a restart, until Redis"
                            + " takes the answer. If that lasts while entries come, grant the user {}: {}",
                    stream,
                    done,
                    id,
                    rights,
                    why);
        } else {
            LOG.debug("Entry {} of '{}' could not be {}, and comes again: {}", id, stream, done, why);
        }
    }

    void succeeded() {
        if (lasts.get() && lasts.compareAndSet(true, false)) {
            LOG.info("Entries of '{}' can be {} again", stream, done);
        }
    }
}
