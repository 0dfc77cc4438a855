package io.postrider.chaos;

import java.time.Duration;
import java.util.List;

/** Long transactions that append overlap all the time, on a log with small segments that are kept for a moment. */
final class Transactions implements Scenario {
    private static final Duration RETAIN = Duration.ofMillis(500);
    private static final NodeOptions OPTIONS =
            NodeOptions.DEFAULT.segmentSize(100).retain(RETAIN).pruneEvery(Duration.ofMillis(500));
    private static final Duration WRITTEN = Duration.ofSeconds(15);
    /** By then an event is settled, its segment is closed, and who wrote beside it has ended. */
    private static final Duration OLD = RETAIN.plusSeconds(4);

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Of the events that are old, one in so many may still be in the log: their segment may have a late one. */
    private static final int KEPT_SHARE = 4;

    @Override
    public String name() {
        return "transactions";
    }

    @Override
    public String sentence() {
        return "Four more writers each have a transaction of 0.3 s or more open all the time, so that the log never has"
                + " a moment without one; segments are small, and go half a second after their last event.";
    }

    @Override
    public Setup setup() {
        return Setup.PLAIN.options(OPTIONS);
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        SegmentView before = SegmentView.count(cluster);
        try (LongTransactions writers = LongTransactions.start(cluster)) {
            Pause.of(WRITTEN);
            long old = committedBefore(cluster, Moment.now().minus(OLD));
            SegmentView after = SegmentView.read(cluster, OLD);
            List<LongTransactions.Open> opened = writers.stop();
            requireOverlap(opened);
            Fault.require(after.made() > before.made(), "the log did not go on to another segment");
            String evidence = opened.size() + " long transactions, of which at least one was always open; "
                    + after.freed() + " of " + after.made() + " segments freed meanwhile, " + after.old() + " of " + old
                    + " old events kept";
            return new Fault(begin, evidence)
                    .promise(c -> old > 0 && after.old() * KEPT_SHARE <= old
                            ? List.of()
                            : List.of("prune did not keep up: " + evidence))
                    .promise(Transactions::dropped)
                    .promise(Promises::everythingIsSettled)
                    .promise(Promises::noTransactionFailed);
        }
    }

    private static void requireOverlap(List<LongTransactions.Open> opened) throws Unmeasured {
        Fault.require(!opened.isEmpty(), "no long transaction ended");
        Duration gaps = LongTransactions.gaps(opened);
        Fault.require(gaps.isZero(), "for " + Fault.seconds(gaps) + " no long transaction was open");
        Fault.require(
                opened.stream().allMatch(open -> open.length().compareTo(LongTransactions.OPEN_MIN) >= 0),
                "a transaction was shorter than " + LongTransactions.OPEN_MIN.toMillis() + " ms");
    }

    private static long committedBefore(Cluster cluster, Moment moment) {
        return cluster.ledger().committed().values().stream()
                .filter(written -> written.at().isBefore(moment))
                .count();
    }

    /** Once nobody writes, the tables go too. */
    private static List<String> dropped(Cluster cluster) throws Exception {
        return Pause.until(PATIENCE, () -> SegmentView.count(cluster).emptied() == 0)
                ? List.of()
                : List.of("emptied segments are not dropped: " + SegmentView.count(cluster));
    }
}
