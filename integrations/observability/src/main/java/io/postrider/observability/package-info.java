/**
 * What a node does, for those who operate it: {@link io.postrider.observability.Meters} counts,
 * {@link io.postrider.observability.Gauges} look at the store, {@link io.postrider.observability.Tracing} follows
 * events from append to handler, {@link io.postrider.observability.LogLines} writes a line for each. Take those you
 * want.
 */
@NullMarked
package io.postrider.observability;

import org.jspecify.annotations.NullMarked;
