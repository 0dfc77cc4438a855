/**
 * The engine: claim → dispatch → settle, then renew, park and prune. Internal; nothing here is API.
 *
 * <p>Everything that waits or runs goes through {@link io.postrider.spi.Environment}, so that a simulation can run this
 * code unchanged on its own clock and scheduler.
 */
@NullMarked
package io.postrider.engine;

import org.jspecify.annotations.NullMarked;
