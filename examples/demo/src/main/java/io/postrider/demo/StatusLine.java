package io.postrider.demo;

import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;

/** The live line: rewritten in place on a terminal, one line after the other elsewhere. */
final class StatusLine {
    private final PrintStream out;
    private final boolean inPlace;
    private long delivered = -1;
    private Instant at = Instant.EPOCH;

    StatusLine(PrintStream out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
    }

    void show(Browse.Progress progress, long failures, Instant now) {
        Counts counts = progress.counts();
        double seconds = Math.max(0.001, Duration.between(at, now).toMillis() / 1_000.0);
        double rate = delivered < 0 ? 0 : (counts.delivered() - delivered) / seconds;
        delivered = counts.delivered();
        at = now;
        Instant oldest = progress.oldestPending();
        String age = oldest == null ? "-" : Duration.between(oldest, now).toMillis() + " ms";
        String line = String.format(
                "delivered %,d  %,.0f/s  pending %,d  oldest %s  retries %,d (waiting %,d)  dead %,d",
                counts.delivered(), rate, progress.pendingEstimate(), age, failures, counts.parked(), counts.dead());
        if (inPlace) {
            out.print("\r\033[K" + line);
            out.flush();
        } else {
            out.println(line);
        }
    }
}
