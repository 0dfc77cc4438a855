package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.report.Plot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The same drain at several sizes of what should not cost more as it grows, beside the bare SELECT of the rows.
 *
 * @param drains by the name of their size, in the order of an axis
 */
record Growth(Map<String, Contender> drains, Contender select) {

    static <C extends Contender> Growth of(List<C> drains, Function<C, String> size, Contender select) {
        Map<String, Contender> bySize = new LinkedHashMap<>();
        drains.forEach(drain -> bySize.put(size.apply(drain), drain));
        return new Growth(bySize, select);
    }

    Rounds run(int warmUps, int rounds) throws Exception {
        List<Contender> all = new ArrayList<>(drains.values());
        all.add(select);
        return Rounds.run(all, warmUps, rounds);
    }

    Plot plot(String file, String title, Plot.Axes axes, Rounds rounds) {
        List<Double> rates = drains.values().stream().map(rounds::rate).toList();
        List<Double> limit = rates.stream().map(rate -> rounds.rate(select)).toList();
        return new Plot(
                file,
                Plot.Shape.LINES,
                title,
                axes,
                List.copyOf(drains.keySet()),
                List.of(Plot.Series.of("postrider", rates), Plot.Series.limit("bare SELECT of the rows, once", limit)));
    }
}
