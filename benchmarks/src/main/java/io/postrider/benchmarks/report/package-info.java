/** What a run found: lines with targets, a table, plots. */
@NullMarked
package io.postrider.benchmarks.report;

import org.jspecify.annotations.NullMarked;
