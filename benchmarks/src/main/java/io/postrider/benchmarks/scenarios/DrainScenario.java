package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.peers.Peer;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** How fast a backlog of 1 KB events gets to a handler that does nothing. */
final class DrainScenario implements Scenario {
    private static final Target BY_PEER = Target.atLeast(20);
    private static final Target BY_SELECT = Target.atLeast(0.5);
    /** Until the code of every contender is compiled. */
    private static final int WARM_UPS = 2;

    private static final String UNIT = "events/s";

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        Scale.Drains sizes = scale.drains();
        try (DrainProcess ours = DrainProcess.start(database, DrainMain.POSTRIDER, sizes.events());
                DrainProcess select = DrainProcess.start(database, DrainMain.SELECT, sizes.events());
                Peers opened = Peers.start(database, scale.peers(), sizes)) {
            List<DrainProcess> peers = opened.processes();
            List<Contender> all = new ArrayList<>(List.of(ours, select));
            all.addAll(peers);
            Rounds rounds = Rounds.run(all, WARM_UPS, sizes.rounds());
            List<Result> results = new ArrayList<>(rounds.told("drain: ", UNIT));
            results.add(
                    rounds.compared("drain: postrider by the better peer", ours, rounds.best(peers), UNIT, BY_PEER));
            results.add(rounds.compared("drain: postrider by the bare SELECT", ours, select, UNIT, BY_SELECT));
            return new Findings(results, List.of(plot(rounds, ours, select, peers)));
        }
    }

    /** Every peer with a backlog of its own. */
    private record Peers(List<DrainProcess> processes) implements AutoCloseable {

        static Peers start(Database database, List<Peer> peers, Scale.Drains sizes) throws IOException {
            Peers started = new Peers(new ArrayList<>());
            try {
                for (Peer peer : peers) {
                    started.processes.add(DrainProcess.start(database, peer.name(), sizes.of(peer)));
                }
                return started;
            } catch (IOException | RuntimeException e) {
                started.close();
                throw e;
            }
        }

        @Override
        public void close() {
            processes.forEach(DrainProcess::close);
        }
    }

    private static Plot plot(Rounds rounds, Contender ours, Contender select, List<? extends Contender> peers) {
        List<Contender> bars = new ArrayList<>(List.of(ours));
        bars.addAll(peers);
        return Plot.bars(
                "drain",
                "Drain of a backlog, 1 KB events",
                UNIT,
                bars.stream()
                        .map(each -> new Plot.Bar(each.label(), rounds.rate(each)))
                        .toList(),
                new Plot.Bar("bare SELECT of the same rows", rounds.rate(select)));
    }
}
