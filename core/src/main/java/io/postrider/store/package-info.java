/**
 * The ports of a store: what the engine asks of a database. One small interface per verb; a
 * {@link io.postrider.store.Store} names them all. The conformance suite in the {@code tck} module is the specification
 * of each.
 */
@NullMarked
package io.postrider.store;

import org.jspecify.annotations.NullMarked;
