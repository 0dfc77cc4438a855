package io.postrider.benchmarks.scenarios;

import java.util.List;

/** A way to store a backlog and to deliver it, each once: what a round, or a look into the database, is made of. */
interface Drain extends AutoCloseable {

    /** Name and version, and how much it carries. */
    String label();

    /** The settings that others would need to repeat it. */
    String how();

    /** Stores the backlog; nothing delivers yet. */
    void fill() throws Exception;

    /** Delivers all of it, doing this work for each event; the rate per second. */
    double drain(Runnable work) throws Exception;

    /** The table that holds the backlog. */
    String backlog();

    /** The tables it writes, with their schema, as patterns of LIKE: where dead tuples would be. */
    List<String> tables();

    @Override
    void close();
}
