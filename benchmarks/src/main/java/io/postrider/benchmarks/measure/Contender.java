package io.postrider.benchmarks.measure;

/** One of the things a scenario compares. Its rounds are run one after the other. */
public interface Contender {

    /** Name and version, and how much it carries. */
    String label();

    /** The settings that others would need to repeat it; none where the label says all. */
    default String how() {
        return "";
    }

    /** Prepares and measures one round; the rate is per second. */
    double round() throws Exception;
}
