/** One class for each question; what several of them share. */
@NullMarked
package io.postrider.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
