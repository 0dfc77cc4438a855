package io.postrider.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The results, as a table for people and as JSON for machines. */
record Report(List<Result> results) {
    private static final List<String> HEADINGS = List.of("name", "value", "unit", "ratio", "target", "met");

    Report {
        results = List.copyOf(results);
    }

    String table() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADINGS);
        rows.addAll(rows());
        int[] widths = new int[HEADINGS.size()];
        rows.forEach(row -> widen(widths, row));
        StringBuilder table = new StringBuilder();
        rows.forEach(row -> table.append(line(widths, row)).append('\n'));
        return table.toString();
    }

    /** The cells of each result, in the order of the headings. */
    List<List<String>> rows() {
        return results.stream().map(Report::cells).toList();
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        JsonMapper json =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        Files.writeString(file, json.writeValueAsString(results) + "\n");
    }

    long missed() {
        return results.stream().filter(Result::missed).count();
    }

    private static List<String> cells(Result result) {
        return List.of(
                result.name(),
                result.value().text(),
                result.unit(),
                result.ratio() == null ? "" : String.format(Locale.ROOT, "%.2f", result.ratio()),
                text(result.target()),
                result.met() == null ? "" : result.met() ? "yes" : "NO");
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static void widen(int[] widths, List<String> row) {
        for (int column = 0; column < widths.length; column++) {
            widths[column] = Math.max(widths[column], row.get(column).length());
        }
    }

    private static String line(int[] widths, List<String> row) {
        String format = "%-" + widths[0] + "s  %" + widths[1] + "s  %-" + widths[2] + "s  %" + widths[3] + "s  %-"
                + widths[4] + "s  %s";
        return String.format(Locale.ROOT, format, row.toArray()).stripTrailing();
    }
}
