package io.postrider.benchmarks.report;

import java.util.List;

/** What a scenario found, as lines of the report and as plots. */
public record Findings(List<Result> results, List<Plot> plots) {
    public Findings {
        results = List.copyOf(results);
        plots = List.copyOf(plots);
    }
}
