package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.BareSelect;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
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
        try (PostriderDrain ours = new PostriderDrain(database, sizes.events(), Payloads::key);
                BareSelect select = new BareSelect(database, BareSelect.LOG, sizes.events());
                PeerDrains opened = PeerDrains.open(database, scale.peers(), sizes::of)) {
            ours.fill();
            List<Contender> peers = opened.rounds(database);
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

    private static Plot plot(Rounds rounds, Contender ours, Contender select, List<Contender> peers) {
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
