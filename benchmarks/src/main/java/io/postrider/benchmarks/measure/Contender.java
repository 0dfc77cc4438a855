package io.postrider.benchmarks.measure;

/** One of the things a scenario compares. Its rounds are run one after the other. */
public interface Contender {

    /** Name, version and settings. */
    String label();

    /** Prepares and measures one round; the rate is per second. */
    double round() throws Exception;
}
