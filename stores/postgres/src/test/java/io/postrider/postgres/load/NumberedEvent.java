package io.postrider.postgres.load;

import java.util.UUID;

/** An event that knows its number within its key, so that order can be judged wherever it turns up. */
record NumberedEvent(UUID id, String key, long sequence) {

    static final String TYPE = "load.numbered";

    /** What travels of it in the payload. */
    record Content(long sequence) {}
}
