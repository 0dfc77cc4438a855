package io.postrider.benchmarks;

/** One way to commit a business transaction: alone, or with an event beside it. Thread-safe. */
interface Committer {

    String label();

    /** Changes this writer's row and commits, with the payload as an event unless it commits alone. */
    void commit(int writer, String payload) throws Exception;
}
