package io.postrider.destination;

/** Where a destination says it has stored an event: a number in one of its streams. */
public record Receipt(String stream, long sequence) {}
