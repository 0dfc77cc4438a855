package io.postrider.benchmarks;

/** One question, answered by measuring. It begins with an empty database. */
interface Scenario {

    /** What the command line calls it. */
    String name();

    Findings run(Database database, Scale scale) throws Exception;
}
