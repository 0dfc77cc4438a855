/**
 * Chaos: a real PostgreSQL and engine nodes as real processes, under load, while a scenario strikes at them. Writers
 * keep account of what they committed, a receiver of what arrived, and a judge compares the two.
 *
 * <p>A further scenario is one class that implements {@link io.postrider.chaos.Scenario}, and its line in
 * {@link io.postrider.chaos.Scenarios}. One with a broker implements {@link io.postrider.chaos.BrokerScenario}: it has
 * other parts, and figures of its own.
 */
@NullMarked
package io.postrider.chaos;

import org.jspecify.annotations.NullMarked;
