package io.postrider.benchmarks;

import java.time.Duration;
import java.util.List;

/**
 * How much a run measures.
 *
 * @param drainEvents the backlog Postrider drains, and the rows of the bare SELECT
 * @param peerDrainEvents the backlog each peer drains; smaller, because a peer needs many times as long
 * @param drainRounds measured drains of each contender
 * @param writers how many writers commit at once, one comparison for each number
 * @param commitRounds measured rounds of each commit variant: many and short, because what else the machine does comes
 *     and goes within seconds
 * @param commitRound how long one of them takes
 * @param paced how long the paced run is measured
 */
record Scale(
        int drainEvents,
        int peerDrainEvents,
        int drainRounds,
        List<Integer> writers,
        int commitRounds,
        Duration commitRound,
        Duration paced) {

    /** Ends within four minutes on two cores. */
    static final Scale QUICK =
            new Scale(200_000, 20_000, 3, List.of(16), 17, Duration.ofMillis(500), Duration.ofSeconds(10));

    /** Takes about ten minutes. */
    static final Scale FULL =
            new Scale(1_000_000, 50_000, 3, List.of(16, 1), 45, Duration.ofMillis(500), Duration.ofSeconds(20));

    Scale {
        writers = List.copyOf(writers);
    }
}
