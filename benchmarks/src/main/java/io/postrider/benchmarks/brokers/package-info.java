/** Postrider between a broker and the database, beside a bare client of the same broker. */
@NullMarked
package io.postrider.benchmarks.brokers;

import org.jspecify.annotations.NullMarked;
