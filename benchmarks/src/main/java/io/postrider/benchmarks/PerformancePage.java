package io.postrider.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Report;
import io.postrider.benchmarks.report.SvgPlot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The page that shows the figures of a run, with the command and the machine that made them. */
final class PerformancePage {
    private static final String HEAD = """
            # Performance

            Written by `./bench %s`; do not edit. All contenders run on the same PostgreSQL in the same run, in rounds
            whose order rotates; a ratio is the median of the ratios of the rounds. Compare ratios, not figures of
            different machines. A target that is missed makes the command fail.

            Machine: %d processors, %s, %s, JDK %s. Server: %s.
            A dashed line in a plot is the limit, which its legend names.

            %s
            | what | value | unit | ratio | target | met |
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
                server,
                drawn(file, plots)));
        report.rows()
                .forEach(
                        row -> page.append("| ").append(String.join(" | ", row)).append(" |\n"));
        Files.writeString(file, page);
    }

    /** Writes the plots into a folder beside the page; the lines that show them. */
    private static String drawn(Path file, List<Plot> plots) throws IOException {
        Path folder = file.resolveSibling(FOLDER);
        Files.createDirectories(folder);
        StringBuilder lines = new StringBuilder();
        for (Plot plot : plots) {
            String name = plot.file() + ".svg";
            Files.writeString(folder.resolve(name), SvgPlot.draw(plot));
            lines.append(String.format(Locale.ROOT, "![%s](%s/%s)%n%n", plot.title(), FOLDER, name));
        }
        return lines.toString();
    }

    private static String memory() {
        long bytes =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return Math.round(bytes / (double) (1 << 30)) + " GB of memory";
    }
}
