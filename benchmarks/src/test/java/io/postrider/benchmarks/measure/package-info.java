/** Tests of the arithmetic that decides what is met. */
@NullMarked
package io.postrider.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
