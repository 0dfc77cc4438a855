/** What the engine tells those who watch it: metrics, traces and log lines are made of {@link Observation}s. */
@NullMarked
package io.postrider.observe;

import org.jspecify.annotations.NullMarked;
