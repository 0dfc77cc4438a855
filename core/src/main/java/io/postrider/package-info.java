/**
 * Postrider's public API: append events beside your state, subscribe handlers to them.
 *
 * <p>Values are records, ports live in {@link io.postrider.spi}, the engine in {@code io.postrider.engine} is internal.
 */
@NullMarked
package io.postrider;

import org.jspecify.annotations.NullMarked;
