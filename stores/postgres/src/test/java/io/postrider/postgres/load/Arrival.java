package io.postrider.postgres.load;

import java.time.Instant;
import java.util.UUID;

/** One call of a handler: which event, and when the handler was entered. */
record Arrival(NumberedEvent event, Instant at) {

    /** One line of a ledger, without its end. */
    String line() {
        return event.id() + " " + event.key() + " " + event.sequence() + " " + at;
    }

    static Arrival parse(String line) {
        String[] parts = line.split(" ", -1);
        NumberedEvent event = new NumberedEvent(UUID.fromString(parts[0]), parts[1], Long.parseLong(parts[2]));
        return new Arrival(event, Instant.parse(parts[3]));
    }
}
