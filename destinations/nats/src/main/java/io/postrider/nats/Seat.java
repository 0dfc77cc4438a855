package io.postrider.nats;

/** One event's place in its flight. */
record Seat(Flight flight, int index, Target target) {}
