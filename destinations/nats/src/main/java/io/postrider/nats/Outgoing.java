package io.postrider.nats;

import io.nats.client.impl.Headers;

/** One event as a message that is ready to be published, and its place in its flight. */
record Outgoing(Seat seat, Headers headers, byte[] body) {}
