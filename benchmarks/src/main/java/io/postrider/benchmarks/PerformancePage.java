package io.postrider.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The page that shows the figures of a run, with the command and the machine that made them. */
final class PerformancePage {
    private static final String HEAD = """
            # Performance

            Written by `./bench %s`; do not edit. All contenders run on the same PostgreSQL in the same run, in rounds
            whose order rotates; a ratio is the median of the ratios of the rounds. Compare ratios, not figures of
            different machines. A target that is missed makes the command fail.

            Machine: %d processors, %s, JDK %s. Server: %s.

            | what | value | unit | ratio | target | met |
            |---|---:|---|---:|---|---|
            """;

    private PerformancePage() {}

    static void write(Path file, Report report, String options, String server) throws IOException {
        StringBuilder page = new StringBuilder(String.format(
                Locale.ROOT,
                HEAD,
                options,
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                Runtime.version().feature(),
                server));
        report.rows()
                .forEach(
                        row -> page.append("| ").append(String.join(" | ", row)).append(" |\n"));
        Files.writeString(file, page);
    }
}
