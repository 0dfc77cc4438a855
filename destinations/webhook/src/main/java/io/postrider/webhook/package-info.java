/**
 * Events to HTTP endpoints with signatures, and webhooks received into an inbox.
 *
 * <p>{@link io.postrider.webhook.WebhookDestination} posts, {@link io.postrider.webhook.WebhookReceiver} verifies what
 * others have posted. Signatures and header names are those of Standard Webhooks.
 */
@NullMarked
package io.postrider.webhook;

import org.jspecify.annotations.NullMarked;
