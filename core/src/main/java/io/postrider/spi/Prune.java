package io.postrider.spi;

import java.time.Duration;

/** Keeps room ahead of a log, and drops what every subscription is done with. */
public interface Prune {

    /**
     * Creates segments ahead of the log's head and drops those that lie below every subscription's floor and whose
     * newest event is older than {@code retain}. Makes some of the indexes that searches want. Never makes an append
     * wait for long: it gives up and is called again.
     */
    Pruned prune(Duration retain);

    /** What a prune did: segments and indexes it created, segments it dropped. */
    record Pruned(int created, int dropped) {}
}
