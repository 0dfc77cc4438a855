/**
 * Postrider's public API: append events beside your state, subscribe handlers to them.
 *
 * <p>Values are records. The ports of stores are in {@link io.postrider.store}; the engine in
 * {@code io.postrider.engine} is internal.
 */
@NullMarked
package io.postrider;

import org.jspecify.annotations.NullMarked;
