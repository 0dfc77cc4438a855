package io.postrider.chaos;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** A scenario on a cluster of its own: load, a strike, more load until the engine has caught up, and the judgement. */
final class Trial {
    /** Twice the lease. */
    static final Duration RECOVERY_MAX = DeliveryNode.LEASE.multipliedBy(2);

    private static final int EVIDENCE_MAX = 20;

    private final Scenario scenario;
    private final Path logs;
    private final Pace pace;

    /** Leaves what the nodes log in the folder. */
    Trial(Scenario scenario, Path logs, Pace pace) {
        this.scenario = scenario;
        this.logs = logs;
        this.pace = pace;
    }

    Result run() throws Exception {
        try (Cluster cluster = Cluster.start(scenario, logs);
                Load load = Load.start(cluster.pool(), cluster.table(), cluster.ledger())) {
            try {
                return run(cluster, load);
            } catch (Exception e) {
                // Where something of ours broke, that comes first: the rest may follow from it.
                cluster.requireWhole();
                throw e;
            }
        }
    }

    private Result run(Cluster cluster, Load load) throws Exception {
        Pause.of(pace.warmUp());
        awaitFirstDeliveries(cluster);
        Fault fault = scenario.strike(cluster);
        awaitSteadiness(cluster, fault.since());
        Duration written = load.stop();
        List<NumberedEvent> stored = stored(cluster);
        drain(cluster, stored);
        cluster.requireWhole();
        List<String> broken = broken(cluster, fault);
        stopNodes(cluster);
        return judge(cluster, stored, fault, written, broken);
    }

    /** More load, until nothing has been late for a while or it is too late anyway. */
    private void awaitSteadiness(Cluster cluster, Moment since) throws Exception {
        Moment shown = since.plus(pace.shows());
        Moment end = Moment.now().plus(RECOVERY_MAX).plus(pace.steady().multipliedBy(2));
        Moment steadySince = Moment.now();
        while (Moment.now().isBefore(end)
                && (Moment.now().isBefore(shown) || steadySince.age().compareTo(pace.steady()) < 0)) {
            if (!caughtUp(cluster)) {
                steadySince = Moment.now();
            }
            Pause.of(Duration.ofMillis(50));
        }
    }

    /** Without a fault nothing may be late for long, so what waits then is told. */
    private void awaitFirstDeliveries(Cluster cluster) throws Exception {
        if (!Pause.until(pace.patience(), () -> caughtUp(cluster))) {
            List<WriterLedger.Written> late = late(cluster);
            throw new Unmeasured(late.size() + " of "
                    + cluster.ledger().committed().size() + " events are late before any fault, "
                    + cluster.receiver().arrivals().size() + " have arrived; the oldest: "
                    + late.stream().limit(EVIDENCE_MAX).map(Trial::aged).toList());
        }
    }

    private static String aged(WriterLedger.Written written) {
        return written.event() + " after " + written.at().age().toMillis() + " ms";
    }

    private static boolean caughtUp(Cluster cluster) {
        return late(cluster).isEmpty();
    }

    private static List<WriterLedger.Written> late(Cluster cluster) {
        Moment longAgo = new Moment(Moment.now().nanos() - Judge.LATE.toNanos());
        return cluster.ledger().waiting(cluster.receiver(), longAgo);
    }

    private static List<NumberedEvent> stored(Cluster cluster) throws Exception {
        try (Connection connection = cluster.pool().getConnection()) {
            return KeyTable.committed(connection);
        }
    }

    /** What has not come by the end of this is lost. */
    private void drain(Cluster cluster, List<NumberedEvent> stored) throws Exception {
        Pause.until(
                pace.patience(),
                () -> stored.stream().allMatch(event -> cluster.receiver().hasSeen(event.id())));
    }

    /**
     * What the scenario promises, and what it always must be spared: a transaction that fails although nothing is down.
     */
    private static List<String> broken(Cluster cluster, Fault fault) throws Exception {
        Stream<String> refused = cluster.ledger().failures().stream()
                .filter(failure -> !failure.down())
                .map(failure -> "a writer's transaction failed: " + failure.why());
        return Stream.concat(fault.promise().broken(cluster).stream(), refused)
                .limit(EVIDENCE_MAX)
                .toList();
    }

    private static void stopNodes(Cluster cluster) throws Exception {
        List<NodeProcess> living =
                cluster.nodes().stream().filter(NodeProcess::alive).toList();
        for (NodeProcess node : living) {
            node.askToStop();
        }
        for (NodeProcess node : living) {
            node.awaitEnd();
        }
    }

    private Result judge(
            Cluster cluster, List<NumberedEvent> stored, Fault fault, Duration written, List<String> broken)
            throws Unmeasured {
        WriterLedger ledger = cluster.ledger();
        Judge judge = new Judge(stored, ledger, cluster.receiver().arrivals(), fault.order());
        Map<UUID, WriterLedger.Written> committed = ledger.committed();
        int afterwards = (int) committed.values().stream()
                .filter(event -> fault.since().isBefore(event.at()))
                .count();
        if (afterwards == 0) {
            throw new Unmeasured("nothing was committed after the fault, so that nothing can be said about recovery");
        }
        double perSecond = judge.committed() * 1_000.0 / written.toMillis();
        Result.Volume volume = new Result.Volume(
                Math.round(perSecond),
                judge.committed(),
                afterwards,
                ledger.undone().size(),
                ledger.unknown().size());
        Result.Timing timing = new Result.Timing(
                judge.longestLag().toMillis(), judge.recovery(fault.since()).toMillis(), RECOVERY_MAX.toMillis());
        return Result.of(scenario, fault, volume, verdict(judge), timing, broken);
    }

    private static Result.Verdict verdict(Judge judge) {
        Stream<String> evidence = Stream.of(
                        judge.lost().stream().map(event -> "lost " + event),
                        judge.inversions().stream().map(event -> "out of order " + event),
                        judge.resurrected().stream().map(event -> "rolled back " + event))
                .flatMap(lines -> lines.limit(EVIDENCE_MAX));
        return new Result.Verdict(
                judge.lost().size(),
                judge.inversions().size(),
                judge.resurrected().size(),
                judge.duplicates(),
                evidence.toList());
    }
}
