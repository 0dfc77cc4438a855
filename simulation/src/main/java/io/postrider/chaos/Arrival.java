package io.postrider.chaos;

import java.util.UUID;

/** One call of a handler, as the receiver got to know of it. */
record Arrival(NumberedEvent event, String node, Moment at) {
    private static final int PARTS = 4;

    /** What a handler tells the receiver. */
    static String line(NumberedEvent event, String node) {
        return event.id() + " " + event.key() + " " + event.sequence() + " " + node;
    }

    static Arrival parse(String line, Moment at) {
        String[] parts = line.split(" ", -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("a report has " + PARTS + " parts, got '" + line + "'");
        }
        NumberedEvent event = new NumberedEvent(UUID.fromString(parts[0]), parts[1], Long.parseLong(parts[2]));
        return new Arrival(event, parts[3], at);
    }
}
