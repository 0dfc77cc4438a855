package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.report.Findings;

/** One question, answered by measuring. It begins with an empty database. */
public interface Scenario {

    /** What the command line calls it. */
    String name();

    Findings run(Database database, Scale scale) throws Exception;
}
