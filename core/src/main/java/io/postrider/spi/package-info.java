/**
 * The ports: what the engine asks of a store, a destination and the machine it runs on.
 *
 * <p>One small interface per verb; a {@link io.postrider.spi.Store} is all of them together. The conformance suite in
 * the {@code tck} module is the specification of each.
 */
@NullMarked
package io.postrider.spi;

import org.jspecify.annotations.NullMarked;
