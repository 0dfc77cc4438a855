package io.postrider.benchmarks.measure;

import java.time.Instant;

/** The clock that the processes of one machine share, as fine as the machine has it. */
public final class WallClock {
    private WallClock() {}

    public static long nanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
