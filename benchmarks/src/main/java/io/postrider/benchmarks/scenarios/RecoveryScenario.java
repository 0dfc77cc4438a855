package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Waiting;
import io.postrider.benchmarks.measure.WallClock;
import io.postrider.benchmarks.peers.Carrier;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.peers.Node;
import io.postrider.benchmarks.peers.NodeMain;
import io.postrider.benchmarks.peers.NodeProcess;
import io.postrider.benchmarks.peers.Outgoing;
import io.postrider.benchmarks.peers.Tuning;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How long events wait when one of two nodes is killed: those whose handlers it had entered, and those that are
 * committed right after. The other delivers them all.
 */
final class RecoveryScenario implements Scenario {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Target TWICE_THE_LEASE = Target.atMost(2);
    /** Keys enough for every lane. */
    private static final int EVENTS = 500;

    @Override
    public String name() {
        return "recovery";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        List<Result> results = new ArrayList<>();
        List<Plot.Bar> bars = new ArrayList<>();
        for (Carrier carrier : scale.carriers()) {
            Tuning tuning = carrier.fastest().failover(LEASE);
            String name = "recovery: " + carrier.name();
            if (carrier.whyNotShared().isPresent()) {
                results.add(Result.cannot(name, carrier.whyNotShared().get()));
            } else {
                double seconds = recover(database, carrier, tuning);
                bars.add(new Plot.Bar(carrier.name(), seconds));
                results.add(result(carrier, name, seconds).how(carrier.delivering(tuning)));
            }
        }
        Plot plot = Plot.bars(
                "recovery",
                "From the SIGKILL of a node to the last delivery by the other",
                "seconds",
                bars,
                new Plot.Bar("twice the lease", 2.0 * LEASE.toSeconds()));
        return new Findings(results, List.of(plot));
    }

    /** Ours has to keep its promise; that of others is not ours to judge. */
    private static Result result(Carrier carrier, String name, double seconds) {
        return carrier == Carriers.POSTRIDER
                ? Result.compared(name, seconds, "s", seconds / LEASE.toSeconds(), TWICE_THE_LEASE)
                : Result.told(name, seconds, "s");
    }

    private static double recover(Database database, Carrier carrier, Tuning tuning) throws Exception {
        database.clear();
        carrier.prepare(database);
        try (HikariDataSource pool = database.pool(4);
                Node appender = carrier.storing(pool);
                NodeProcess survivor = NodeProcess.start(database, carrier, tuning, NodeMain.Conduct.RETURNS);
                NodeProcess victim = NodeProcess.start(database, carrier, tuning, NodeMain.Conduct.HANGS)) {
            carrier.awaitShared(database, 2);
            Set<Long> appended = new HashSet<>();
            Waiting.until("the node to be killed entered a handler", () -> {
                append(appender, appended);
                return !victim.handled().isEmpty();
            });
            long killed = WallClock.nanos();
            victim.kill();
            for (int i = 0; i < EVENTS; i++) {
                append(appender, appended);
            }
            Waiting.until(
                    "the surviving node handled every event",
                    () -> survivor.handled().keySet().containsAll(appended));
            return (last(survivor) - killed) / 1e9;
        }
    }

    private static void append(Node appender, Set<Long> appended) throws Exception {
        long number = appended.size();
        Outgoing event = new Outgoing(Payloads.key(number), Payloads.numbered(number));
        appender.transaction((transaction, events) -> events.append(List.of(event)));
        appended.add(number);
    }

    private static long last(NodeProcess survivor) {
        return survivor.handled().values().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElseThrow();
    }
}
