/** Events to NATS JetStream and back, with a guard against acknowledged messages that were lost. */
@NullMarked
package io.postrider.nats;

import org.jspecify.annotations.NullMarked;
