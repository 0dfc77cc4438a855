package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.brokers.BrokerContender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * Postrider beside the bare client of a broker, in turns and each in a process of its own.
 *
 * @param scenario what the report calls it
 * @param title what is above its plot
 * @param bare who does the same with the broker alone
 * @param byHand who does the least that has to be done with the database as well
 * @param target by the bare client
 */
record Beside(
        String scenario,
        String title,
        String unit,
        BrokerContender ours,
        BrokerContender bare,
        BrokerContender byHand,
        Target target) {
    /** Until the code of both, and the broker's, is compiled. */
    private static final int WARM_UPS = 2;

    Findings run(Database database, String broker, int events, int rounds) throws Exception {
        try (DrainProcess postrider = DrainProcess.start(database, ours, events, broker);
                DrainProcess client = DrainProcess.start(database, bare, events, broker);
                DrainProcess hand = DrainProcess.start(database, byHand, events, broker)) {
            Rounds measured = Rounds.run(List.of(postrider, client, hand), WARM_UPS, rounds);
            List<Result> results = new ArrayList<>(measured.told(scenario + ": ", unit));
            results.add(
                    measured.compared(scenario + ": postrider by the bare client", postrider, client, unit, target));
            results.add(measured.beside(scenario + ": postrider by the same by hand", postrider, hand, unit));
            results.add(measured.beside(scenario + ": the same by hand by the bare client", hand, client, unit));
            Plot plot = Plot.bars(
                    scenario,
                    title,
                    unit,
                    List.of(
                            new Plot.Bar(postrider.label(), measured.rate(postrider)),
                            new Plot.Bar(Plot.shortName(hand.label()), measured.rate(hand))),
                    new Plot.Bar(Plot.shortName(client.label()), measured.rate(client)));
            return new Findings(results, List.of(plot));
        }
    }
}
