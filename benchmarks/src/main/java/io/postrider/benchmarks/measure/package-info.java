/** What measuring needs whatever is measured: the database, payloads, rounds, paces and times. */
@NullMarked
package io.postrider.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
