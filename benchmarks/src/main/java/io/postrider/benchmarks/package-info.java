/**
 * Postrider beside its peers and beside the bare database: in one run, on one durable PostgreSQL, with equal payloads.
 *
 * <p>{@link io.postrider.benchmarks.Bench} runs the scenarios. What is compared is measured in alternating rounds, and
 * ratios are medians of the rounds' ratios, because the machine is never quiet. A peer has settings its authors
 * published for speed; where there are several, it has the fastest that was found.
 */
@NullMarked
package io.postrider.benchmarks;

import org.jspecify.annotations.NullMarked;
