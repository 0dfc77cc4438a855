/** Events to HTTP endpoints with signatures, and webhooks received into an inbox. */
@NullMarked
package io.postrider.webhook;

import org.jspecify.annotations.NullMarked;
