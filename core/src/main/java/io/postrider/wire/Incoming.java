package io.postrider.wire;

import io.postrider.Event;

/**
 * A message that has come from elsewhere: what it is known by at its source, however often it comes, and the event it
 * brings.
 */
public record Incoming(String id, Event event) {}
