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

    /**
     * Does the damage, and returns once it is over or once nothing more is done about it.
     *
     * @return when the time to recover begins: the end of a fault that ends, the beginning of one that does not
     */
    Moment strike(Cluster cluster) throws Exception;
}
