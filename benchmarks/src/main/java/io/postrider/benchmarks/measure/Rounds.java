package io.postrider.benchmarks.measure;

import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rates of several contenders in alternating rounds. Each round has every contender once, beginning with another
 * one, so that whatever else the machine does meets all of them alike; rounds to warm up are not counted.
 */
public final class Rounds {
    private final Map<Contender, double[]> rates;

    private Rounds(Map<Contender, double[]> rates) {
        this.rates = rates;
    }

    public static Rounds run(List<? extends Contender> contenders, int warmUps, int rounds) throws Exception {
        Map<Contender, double[]> rates = new LinkedHashMap<>();
        contenders.forEach(contender -> rates.put(contender, new double[rounds]));
        List<Contender> order = new ArrayList<>(contenders);
        for (int warmUp = 0; warmUp < warmUps; warmUp++) {
            for (Contender contender : order) {
                measured("warm-up", contender);
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (Contender contender : order) {
                rates(rates, contender)[round] = measured("round " + (round + 1), contender);
            }
            Collections.rotate(order, 1);
        }
        return new Rounds(rates);
    }

    /** One line for each contender, with its median rate. */
    public List<Result> told(String prefix, String unit) {
        return rates.keySet().stream()
                .map(contender -> Result.told(prefix + contender.label(), rate(contender), unit)
                        .how(contender.how()))
                .toList();
    }

    /** One contender beside another: the median over the rounds of the ratio of their rates. */
    public Result compared(String name, Contender contender, Contender other, String unit, Target target) {
        return Result.compared(name, rate(contender), unit, ratio(contender, other), target);
    }

    /** The same, only told. */
    public Result beside(String name, Contender contender, Contender other, String unit) {
        return Result.beside(name, rate(contender), unit, ratio(contender, other));
    }

    /** The one with the highest median rate. */
    public Contender best(List<? extends Contender> among) {
        return Collections.max(among, Comparator.comparingDouble(this::rate));
    }

    /** The one with the lowest median rate. */
    public Contender worst(List<? extends Contender> among) {
        return Collections.min(among, Comparator.comparingDouble(this::rate));
    }

    public double rate(Contender contender) {
        return median(rates(rates, contender));
    }

    private double ratio(Contender contender, Contender other) {
        double[] above = rates(rates, contender);
        double[] below = rates(rates, other);
        double[] ratios = new double[above.length];
        Arrays.setAll(ratios, round -> above[round] / below[round]);
        return median(ratios);
    }

    /** Told at once as well, so that the noise between rounds can be seen. */
    private static double measured(String round, Contender contender) throws Exception {
        double rate = contender.round();
        System.out.printf(Locale.ROOT, "%-8s %,10.0f/s  %s%n", round, rate, contender.label());
        return rate;
    }

    private static double[] rates(Map<Contender, double[]> rates, Contender contender) {
        double[] found = rates.get(contender);
        if (found == null) {
            throw new IllegalArgumentException("took no part: " + contender.label());
        }
        return found;
    }

    public static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
