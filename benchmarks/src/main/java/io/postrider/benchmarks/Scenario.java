package io.postrider.benchmarks;

import java.util.List;

/** One question, answered by measuring. */
interface Scenario {

    /** What the command line calls it. */
    String name();

    List<Result> run(Database database, Scale scale) throws Exception;
}
