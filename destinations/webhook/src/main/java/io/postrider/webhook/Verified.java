package io.postrider.webhook;

import io.postrider.wire.Incoming;
import java.time.Instant;

/**
 * A webhook whose sender knows a secret of ours.
 *
 * @param sentAt when it was sent, this time
 */
public record Verified(Incoming incoming, Instant sentAt) {}
