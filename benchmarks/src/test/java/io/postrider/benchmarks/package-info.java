/** Tests of the arithmetic that decides what is met. */
@NullMarked
package io.postrider.benchmarks;

import org.jspecify.annotations.NullMarked;
