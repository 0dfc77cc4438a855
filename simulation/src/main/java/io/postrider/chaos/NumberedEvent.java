package io.postrider.chaos;

import java.util.UUID;

/** An event that knows its number within its key, so that order can be judged wherever it turns up. */
record NumberedEvent(UUID id, String key, long sequence) {
    static final String TYPE = "chaos.numbered";
    /** A type that only a later version of the nodes handles. */
    static final String LATER_TYPE = "chaos.numbered-later";

    /** What travels of it in the payload. */
    record Content(long sequence) {}
}
