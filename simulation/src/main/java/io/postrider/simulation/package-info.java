/**
 * Deterministic simulation: the production engine on a clock, threads, a store and destinations that one seed decides.
 *
 * <p>A {@link io.postrider.simulation.Plan} is what happens to a few nodes, drawn from a seed; a
 * {@link io.postrider.simulation.Run} carries it out in virtual time and asks the
 * {@link io.postrider.simulation.Oracle}; {@link io.postrider.simulation.Shrink} finds the least of a plan that still
 * fails.
 */
@NullMarked
package io.postrider.simulation;

import org.jspecify.annotations.NullMarked;
