package io.postrider.store;

import java.time.Duration;

/** Keeps room ahead of a log, and drops what every subscription is done with. */
public interface Prune {

    /**
     * Creates segments ahead of the log's head and drops those that lie below every subscription's floor and whose
     * newest event is older than {@code retain}. Makes some of the indexes that searches want. Never makes an append
     * wait for long: it gives up and is called again.
     */
    Pruned prune(Duration retain);

    /**
     * What a prune did.
     *
     * @param created segments and indexes it made
     * @param dropped segments whose events it let go
     * @param segments how many segments the log has now
     * @param undropped those of them that are empty, and that could not be dropped yet because appends were open
     */
    record Pruned(int created, int dropped, int segments, int undropped) {
        public Pruned {
            if (created < 0 || dropped < 0 || undropped < 0 || segments < undropped) {
                throw new IllegalArgumentException("not what a prune does: " + created + " created, " + dropped
                        + " dropped, " + undropped + " undropped of " + segments);
            }
        }
    }
}
