package io.postrider.benchmarks;

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
            List<Contender> all = new ArrayList<>(drains);
            all.add(select);
            Rounds rounds = Rounds.run(all, WARM_UPS, sizes.historyRounds());
            List<Result> results = new ArrayList<>(rounds.told("history: ", UNIT));
            results.add(rounds.compared(
                    "history: the slowest by the fastest", rounds.worst(drains), rounds.best(drains), UNIT, FLAT));
            results.add(Result.notMeasured("history: peers", "postrider only"));
            return new Findings(results, List.of(plot(rounds, drains, select)));
        }
    }

    private static Plot plot(Rounds rounds, List<HistoryDrain> drains, Contender select) {
        List<Double> limit = drains.stream().map(drain -> rounds.rate(select)).toList();
        return new Plot(
                "history",
                Plot.Shape.LINES,
                "Drain behind a history",
                new Plot.Axes("settled events in the log", UNIT),
                drains.stream()
                        .map(drain -> String.format(Locale.ROOT, "%,d", drain.history()))
                        .toList(),
                List.of(
                        Plot.Series.of(
                                "postrider", drains.stream().map(rounds::rate).toList()),
                        Plot.Series.limit("bare SELECT of the same rows", limit)));
    }
}
