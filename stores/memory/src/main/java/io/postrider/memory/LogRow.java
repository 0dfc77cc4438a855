package io.postrider.memory;

import io.postrider.StoredEvent;
import java.nio.charset.StandardCharsets;

/** An event in the log, the transaction that appended it, and the size of its payload and headers. */
record LogRow(StoredEvent event, long xid, int bytes) {

    static LogRow of(StoredEvent event, long xid) {
        int payload = event.payload().getBytes(StandardCharsets.UTF_8).length;
        return new LogRow(event, xid, payload + event.headers().bytes());
    }

    long position() {
        return event.position().value();
    }
}
