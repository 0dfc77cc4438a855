/** Tests of what people and machines read. */
@NullMarked
package io.postrider.benchmarks.report;

import org.jspecify.annotations.NullMarked;
