package io.postrider.chaos;

/** One thing that goes wrong in operation. */
interface Scenario {

    /** What it is called on the command line and in the table. */
    String name();

    /** What happens, as a sentence. */
    String sentence();

    /** What it needs of the cluster, and what it promises beyond the guarantees. */
    default Setup setup() {
        return Setup.PLAIN;
    }

    /** What the database needs before any node starts. */
    default void prepare(Cluster cluster) throws Exception {}

    /**
     * Does the damage, proves that it was done, and returns once it is over or once nothing more is done about it.
     *
     * @throws Unmeasured if there is no proof, see {@link Fault#require}
     */
    Fault strike(Cluster cluster) throws Exception;
}
