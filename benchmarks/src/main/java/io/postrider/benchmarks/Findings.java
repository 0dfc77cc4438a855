package io.postrider.benchmarks;

import java.util.List;

/** What a scenario found, as lines of the report and as plots. */
record Findings(List<Result> results, List<Plot> plots) {
    Findings {
        results = List.copyOf(results);
        plots = List.copyOf(plots);
    }
}
