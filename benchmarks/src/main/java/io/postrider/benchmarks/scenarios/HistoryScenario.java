package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.BareSelect;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.peers.Peer;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Whether a drain costs more the more the log already has. */
final class HistoryScenario implements Scenario {
    private static final Target FLAT = Target.atLeast(0.85);
    private static final int WARM_UPS = 2;
    private static final String UNIT = "events/s";

    @Override
    public String name() {
        return "history";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        Scale.Growth sizes = scale.growth();
        List<HistoryDrain> drains = new ArrayList<>();
        try {
            for (int history : sizes.histories()) {
                HistoryDrain drain = new HistoryDrain(database, history, sizes.backlog());
                drains.add(drain);
                drain.fill();
            }
            database.settleDown();
            return measure(database, drains, sizes);
        } finally {
            drains.forEach(HistoryDrain::close);
        }
    }

    private static Findings measure(Database database, List<HistoryDrain> drains, Scale.Growth sizes) throws Exception {
        try (BareSelect select = new BareSelect(database, drains.get(0).source(), sizes.backlog())) {
            Growth growth = Growth.of(drains, drain -> String.format(Locale.ROOT, "%,d", drain.history()), select);
            Rounds rounds = growth.run(WARM_UPS, sizes.historyRounds());
            List<Result> results = new ArrayList<>(rounds.told("history: ", UNIT));
            results.add(rounds.compared(
                    "history: the slowest by the fastest", rounds.worst(drains), rounds.best(drains), UNIT, FLAT));
            results.addAll(peers(database, sizes));
            Plot.Axes axes = new Plot.Axes("settled events in the log", UNIT);
            return new Findings(results, List.of(growth.plot("history", "Drain behind a history", axes, rounds)));
        }
    }

    private static List<Result> peers(Database database, Scale.Growth sizes) throws Exception {
        List<Result> results = new ArrayList<>();
        for (Peer peer : Carriers.PEERS) {
            if (peer.history().isPresent()) {
                results.add(
                        Result.cannot("history: " + peer.name(), peer.history().get()));
            }
        }
        for (int history : sizes.peerHistories()) {
            database.clear();
            results.add(namastack(database, history, sizes.peerBacklog()));
        }
        return results;
    }

    /** The one that keeps what it delivered. Drained once: what is asked is how much, not how exactly. */
    private static Result namastack(Database database, int history, int backlog) throws Exception {
        try (PeerDrain drain = new PeerDrain(database, Carriers.NAMASTACK, backlog, Payloads::key)) {
            drain.fill();
            database.execute("""
                    INSERT INTO bench.outbox_record
                    SELECT 'settled-' || i, 'COMPLETED', record_key, record_type, payload, context,
                           created_at, created_at, 0, NULL, next_retry_at, partition_no, handler_id
                    FROM generate_series(1, %d) AS i
                    JOIN (SELECT *, row_number() OVER () AS number FROM bench.outbox_record) AS stored
                      ON number = i %% %d + 1
                    """.formatted(history, backlog));
            database.settleDown();
            String label = String.format(Locale.ROOT, "history: %s behind %,d completed ones", drain.label(), history);
            return Result.told(label, drain.drain(() -> {}), UNIT).how(drain.how());
        }
    }
}
