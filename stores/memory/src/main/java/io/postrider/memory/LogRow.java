package io.postrider.memory;

import io.postrider.StoredEvent;
import java.nio.charset.StandardCharsets;

/** An event in the log, and the transaction that appended it. */
record LogRow(StoredEvent event, long xid, int bytes) {

    static LogRow of(StoredEvent event, long xid) {
        return new LogRow(event, xid, event.payload().getBytes(StandardCharsets.UTF_8).length);
    }

    long position() {
        return event.position().value();
    }
}
