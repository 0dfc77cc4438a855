package io.postrider.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Report;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.SvgPlot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page that shows the figures of a run, with the command and the machine that made them. */
final class PerformancePage {
    private static final String HEAD = """
            # Performance

            Written by `./bench %s`; do not edit. All contenders run on the same PostgreSQL in the same run, in rounds
            whose order rotates; a ratio is the median of the ratios of the rounds. Compare ratios, not figures of
            different machines. A target that is missed makes the command fail. In `drain`, `jetstream`,
            `kafka` and `inbox` every contender has a JVM of its own.
            There, the bare client touches no database; "by hand" is the least that reads the events from PostgreSQL, or
            stores the messages there, with the same client.

            Machine: %d processors, %s, %s, JDK %s. Server: %s.
            A dashed line in a plot is the limit, which its legend names.

            """;

    private static final String TABLE = """

            ## %s

            %s| who | value | unit | ratio | target | met |
            |---|---:|---|---:|---|---|
            """;

    private static final String FOLDER = "performance";

    private PerformancePage() {}

    static void write(Path file, Report report, List<Plot> plots, String options, String server) throws IOException {
        StringBuilder page = new StringBuilder(String.format(
                Locale.ROOT,
                HEAD,
                options,
                Runtime.getRuntime().availableProcessors(),
                memory(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                Runtime.version().feature(),
                server));
        drawn(file, plots).forEach(page::append);
        Map<String, List<Result>> sections = new LinkedHashMap<>();
        report.results().stream()
                .filter(result -> !result.scenario().isEmpty())
                .forEach(result -> sections.computeIfAbsent(result.scenario(), any -> new ArrayList<>())
                        .add(result));
        sections.forEach((scenario, results) -> page.append(section(scenario, results)));
        Files.writeString(file, page);
    }

    /** One scenario: its settings, each once, and its table. */
    private static String section(String scenario, List<Result> results) {
        StringBuilder settings = new StringBuilder();
        results.stream()
                .filter(result -> !result.how().isEmpty())
                .map(result -> "- " + result.whose().split("[,:]", 2)[0] + ": " + result.how() + "\n")
                .distinct()
                .forEach(settings::append);
        if (!settings.isEmpty()) {
            settings.append('\n');
        }
        StringBuilder section = new StringBuilder(String.format(Locale.ROOT, TABLE, scenario, settings));
        results.forEach(result -> section.append("| ")
                .append(String.join(" | ", Report.cells(result)))
                .append(" |\n"));
        return section.toString();
    }

    /** Writes the plots into a folder beside the page; the lines that show them. */
    private static List<String> drawn(Path file, List<Plot> plots) throws IOException {
        Path folder = file.resolveSibling(FOLDER);
        Files.createDirectories(folder);
        List<String> lines = new ArrayList<>();
        for (Plot plot : plots) {
            String name = plot.file() + ".svg";
            Files.writeString(folder.resolve(name), SvgPlot.draw(plot));
            lines.add(String.format(Locale.ROOT, "%n![%s](%s/%s)%n", plot.title(), FOLDER, name));
        }
        return lines;
    }

    private static String memory() {
        long bytes =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return Math.round(bytes / (double) (1 << 30)) + " GB of memory";
    }
}
