package io.postrider.benchmarks.measure;

import io.postrider.Lane;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Looks again and again, at the border to a database or a process, where nobody calls back. */
public final class Waiting {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Waiting() {}

    /** Something that may be true by now. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws Exception;
    }

    public static void until(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("within " + PATIENCE + " it did not come true that " + what);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Each of so many nodes owns its share of the lanes. */
    public static void untilShared(Database database, int nodes) throws Exception {
        String shares = "SELECT count(*) || '/' || coalesce(min(lanes), 0) FROM (SELECT count(*) AS lanes"
                + " FROM postrider.lane WHERE owner IS NOT NULL GROUP BY owner) AS share";
        String wanted = nodes + "/" + Lane.COUNT_DEFAULT / nodes;
        until("the lanes are shared as " + wanted, () -> database.value(shares).equals(wanted));
    }
}
