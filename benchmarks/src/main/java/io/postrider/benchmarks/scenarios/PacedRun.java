package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.benchmarks.measure.BusinessRows;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Latencies;
import io.postrider.benchmarks.measure.Pace;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Stamps;
import io.postrider.benchmarks.measure.Waiting;
import io.postrider.benchmarks.measure.WallClock;
import io.postrider.benchmarks.peers.Carrier;
import io.postrider.benchmarks.peers.Node;
import io.postrider.benchmarks.peers.NodeMain;
import io.postrider.benchmarks.peers.NodeProcess;
import io.postrider.benchmarks.peers.Outgoing;
import io.postrider.benchmarks.peers.Tuning;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Commits at a pace and takes the times of each event; who handles it is in this process, or in another. */
final class PacedRun {
    private final Pace pace;
    private final LongSupplier clock;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, Stamps> stamps = new ConcurrentHashMap<>();

    private PacedRun(Pace pace, LongSupplier clock) {
        this.pace = pace;
        this.clock = clock;
    }

    /**
     * What a run found.
     *
     * @param perSecond the pace that was reached
     */
    record Measured(double perSecond, Latencies latencies) {}

    static Measured inOneJvm(Database database, Carrier carrier, Tuning tuning, Pace pace, Scale.Paced lengths)
            throws Exception {
        PacedRun run = new PacedRun(pace, System::nanoTime);
        try (HikariDataSource pool = database.pool(carrier.connections(tuning) + pace.threads());
                Node node = carrier.delivering(pool, tuning, run::entered)) {
            node.start();
            carrier.awaitShared(database, 1);
            return run.measure(node, lengths, run::awaitHandled);
        }
    }

    static Measured acrossProcesses(Database database, Carrier carrier, Tuning tuning, Pace pace, Scale.Paced lengths)
            throws Exception {
        PacedRun run = new PacedRun(pace, WallClock::nanos);
        try (HikariDataSource pool = database.pool(pace.threads() + 2);
                Node node = carrier.storing(pool);
                NodeProcess process = NodeProcess.start(database, carrier, tuning, NodeMain.Conduct.RETURNS)) {
            carrier.awaitShared(database, 1);
            return run.measure(node, lengths, () -> run.awaitReports(process));
        }
    }

    /** What has to be over before times are read. */
    private interface Ending {
        void await() throws Exception;
    }

    private Measured measure(Node node, Scale.Paced lengths, Ending ending) throws Exception {
        commit(node, lengths.warmUp());
        ending.await();
        stamps.clear();
        double perSecond = commit(node, lengths.measured());
        ending.await();
        return new Measured(perSecond, Latencies.of(stamps.values()));
    }

    private double commit(Node node, Duration length) throws Exception {
        return pace.keep(length, (writer, tick) -> commitOne(node, writer));
    }

    private void commitOne(Node node, int writer) throws Exception {
        long number = numbers.getAndIncrement();
        Stamps mine = new Stamps();
        stamps.put(number, mine);
        node.transaction((transaction, events) -> {
            String payload = Payloads.numbered(number);
            BusinessRows.update(transaction, writer, payload);
            events.append(List.of(new Outgoing(Payloads.key(number), payload)));
            mine.worked(clock.getAsLong());
        });
        mine.committed(clock.getAsLong());
    }

    private void entered(String payload) {
        long now = clock.getAsLong();
        Stamps found = stamps.get(Payloads.number(payload));
        if (found != null) {
            found.handled(now);
        }
    }

    private void awaitHandled() throws InterruptedException {
        for (Stamps each : stamps.values()) {
            each.awaitHandled();
        }
    }

    private void awaitReports(NodeProcess process) throws Exception {
        Waiting.until(
                "the other process handled every event",
                () -> process.handled().keySet().containsAll(stamps.keySet()));
        stamps.forEach((number, stamp) -> stamp.handled(process.handled().getOrDefault(number, 0L)));
    }
}
