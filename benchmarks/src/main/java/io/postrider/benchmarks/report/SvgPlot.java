package io.postrider.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws a plot as SVG, on a light ground of its own, so that it reads on pages of any colour. */
public final class SvgPlot {
    private static final int WIDTH = 900;
    private static final int LEFT = 90;
    /** Room for the value of a limit. */
    private static final int RIGHT = 80;

    private static final int TOP = 60;
    private static final int PLOT_HEIGHT = 300;
    private static final int BELOW = 80;
    private static final int LEGEND_LINE = 20;
    /** About how wide a character is. */
    private static final double CHARACTER = 7;

    private static final String GROUND = "#fbfbfd";
    private static final String LIMIT = "#b00020";
    private static final List<String> COLOURS =
            List.of("#1f6feb", "#2da44e", "#bf8700", "#8250df", "#57606a", "#0a7d91", "#cf5f17");

    private final Plot plot;
    private final AxisScale scale;
    private final StringBuilder svg = new StringBuilder();

    private SvgPlot(Plot plot) {
        this.plot = plot;
        this.scale = AxisScale.upTo(plot.series().stream()
                .flatMap(series -> series.values().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0));
    }

    public static String draw(Plot plot) {
        return new SvgPlot(plot).draw();
    }

    private String draw() {
        int height = TOP + PLOT_HEIGHT + BELOW + LEGEND_LINE * plot.series().size();
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH, height, WIDTH, height);
        add("<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\" stroke=\"#d0d7de\"/>", GROUND);
        text(LEFT, 28, "start", "#1f2328\" font-size=\"16\" font-weight=\"bold", plot.title());
        grid();
        categories();
        for (int i = 0; i < plot.series().size(); i++) {
            series(i);
            legend(i);
        }
        if (plot.shape() == Plot.Shape.BARS) {
            barValues();
        }
        return svg.append("</svg>\n").toString();
    }

    private void grid() {
        for (double tick : scale.ticks()) {
            double y = y(tick);
            line(LEFT, y, WIDTH - RIGHT, y, "#d8dee4\" stroke-width=\"1");
            text(LEFT - 8, y + 4, "end", "#424a53", number(tick));
        }
        text(LEFT, TOP - 12, "start", "#424a53", plot.axes().up());
        text(
                (LEFT + WIDTH - RIGHT) / 2.0,
                TOP + PLOT_HEIGHT + 44,
                "middle",
                "#424a53",
                plot.axes().across());
    }

    private void categories() {
        for (int i = 0; i < plot.categories().size(); i++) {
            List<String> lines = lines(plot.categories().get(i), (int) (slot() / CHARACTER));
            for (int line = 0; line < lines.size(); line++) {
                text(centre(i), TOP + PLOT_HEIGHT + 18 + 15.0 * line, "middle", "#1f2328", lines.get(line));
            }
        }
    }

    /** As many words to a line as fit; one that is wider has a line of its own. */
    static List<String> lines(String words, int most) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String word : words.split(" ", -1)) {
            String longer = line.isEmpty() ? word : line + " " + word;
            if (longer.length() > most && !line.isEmpty()) {
                lines.add(line);
                line = word;
            } else {
                line = longer;
            }
        }
        lines.add(line);
        return lines;
    }

    private void series(int index) {
        Plot.Series series = plot.series().get(index);
        if (series.limit()) {
            limit(series);
        } else if (plot.shape() == Plot.Shape.BARS) {
            bars(series, colour(index));
        } else {
            polyline(series, colour(index) + "\" stroke-width=\"2");
            dots(series, colour(index));
        }
    }

    /** A limit that is the same everywhere goes across the whole plot. */
    private void limit(Plot.Series series) {
        String stroke = LIMIT + "\" stroke-width=\"2\" stroke-dasharray=\"7 4";
        if (series.values().stream().distinct().count() == 1) {
            double y = y(series.values().get(0));
            line(LEFT, y, WIDTH - RIGHT, y, stroke);
            text(
                    WIDTH - RIGHT + 6,
                    y + 4,
                    "start",
                    LIMIT,
                    number(series.values().get(0)));
        } else {
            polyline(series, stroke);
            dots(series, LIMIT);
        }
    }

    private void bars(Plot.Series series, String colour) {
        double width = Math.min(80, slot() * 0.6);
        for (int i = 0; i < series.values().size(); i++) {
            double value = series.values().get(i);
            double length = scale.pixels(value, PLOT_HEIGHT);
            add(
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                    centre(i) - width / 2, y(value), width, length, colour);
        }
    }

    /** Over everything else, and readable on whatever is below. */
    private void barValues() {
        String halo = "#1f2328\" stroke=\"" + GROUND + "\" stroke-width=\"4\" paint-order=\"stroke";
        for (Plot.Series series : plot.series()) {
            for (int i = 0; i < series.values().size() && !series.limit(); i++) {
                double value = series.values().get(i);
                text(centre(i), y(value) - 5, "middle", halo, number(value));
            }
        }
    }

    private void polyline(Plot.Series series, String stroke) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < series.values().size(); i++) {
            points.append(String.format(
                    Locale.ROOT, "%.1f,%.1f ", centre(i), y(series.values().get(i))));
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"/>",
                points.toString().strip(), stroke);
    }

    private void dots(Plot.Series series, String colour) {
        for (int i = 0; i < series.values().size(); i++) {
            double y = y(series.values().get(i));
            add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>", centre(i), y, colour);
        }
    }

    /** The name, and every value: lines lie too close to each other to be labelled where they are. */
    private void legend(int index) {
        Plot.Series series = plot.series().get(index);
        double y = TOP + PLOT_HEIGHT + BELOW + LEGEND_LINE * index;
        line(
                LEFT,
                y - 4,
                LEFT + 24,
                y - 4,
                series.limit()
                        ? LIMIT + "\" stroke-width=\"3\" stroke-dasharray=\"7 4"
                        : colour(index) + "\" stroke-width=\"3");
        boolean told = plot.shape() == Plot.Shape.LINES;
        String values = told
                ? ": "
                        + String.join(
                                "  ·  ",
                                series.values().stream().map(SvgPlot::number).toList())
                : "";
        text(LEFT + 32, y, "start", "#1f2328", (series.limit() ? "limit: " : "") + series.name() + values);
    }

    private String colour(int index) {
        return COLOURS.get(index % COLOURS.size());
    }

    private double slot() {
        return (WIDTH - LEFT - RIGHT) / (double) plot.categories().size();
    }

    private double centre(int category) {
        return LEFT + slot() * (category + 0.5);
    }

    private double y(double value) {
        return TOP + PLOT_HEIGHT - scale.pixels(value, PLOT_HEIGHT);
    }

    private void line(double x1, double y1, double x2, double y2, String stroke) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>", x1, y1, x2, y2, stroke);
    }

    private void text(double x, double y, String anchor, String fill, String words) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>", x, y, anchor, fill, escaped(words));
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    static String number(double value) {
        if (value == Math.rint(value) || value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value < 1 ? "%.3f" : "%.2f", value);
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
