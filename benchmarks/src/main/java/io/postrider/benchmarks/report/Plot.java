package io.postrider.benchmarks.report;

import java.util.List;

/**
 * Values by category, to be drawn; beside them, the limit that nothing can pass.
 *
 * @param file its name, without folder and extension
 * @param categories what stands along the axis
 */
public record Plot(String file, Shape shape, String title, Axes axes, List<String> categories, List<Series> series) {

    /** Where a contender's name ends and its settings begin. */
    private static final String SETTINGS = ",| on Spring| append| schedule| publishEvent";

    public Plot {
        categories = List.copyOf(categories);
        series = List.copyOf(series);
        for (Series each : series) {
            if (each.values().size() != categories.size()) {
                throw new IllegalArgumentException("series '" + each.name() + "' has "
                        + each.values().size() + " values for " + categories.size() + " categories");
            }
        }
    }

    /** How it is drawn: a bar for each category and series, or a line through the categories. */
    public enum Shape {
        BARS,
        LINES
    }

    /** What the axes say. */
    public record Axes(String across, String up) {}

    /** One colour; a limit is drawn as a dashed line. */
    public record Series(String name, List<Double> values, boolean limit) {
        public Series {
            values = List.copyOf(values);
        }

        public static Series of(String name, List<Double> values) {
            return new Series(name, values, false);
        }

        public static Series limit(String name, List<Double> values) {
            return new Series(name, values, true);
        }
    }

    /** A contender's name without its settings, short enough for a plot. */
    public static String shortName(String label) {
        return label.split(SETTINGS, 2)[0];
    }

    /** Bars of one value each, with a limit across all of them. */
    public static Plot bars(String file, String title, String up, List<Bar> bars, Bar limit) {
        List<String> names = bars.stream().map(bar -> shortName(bar.name())).toList();
        List<Double> values = bars.stream().map(Bar::value).toList();
        List<Double> limits = names.stream().map(name -> limit.value()).toList();
        return new Plot(
                file,
                Shape.BARS,
                title,
                new Axes("", up),
                names,
                List.of(Series.of("measured", values), Series.limit(limit.name(), limits)));
    }

    /** A name and its value. */
    public record Bar(String name, double value) {}
}
