/** Threads, time, leases and budgets: what every part of the engine stands on. Internal; nothing here is API. */
@NullMarked
package io.postrider.engine.base;

import org.jspecify.annotations.NullMarked;
