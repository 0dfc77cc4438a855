package io.postrider.benchmarks.report;

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
public record Report(List<Result> results) {
    private static final List<String> HEADINGS = List.of("name", "value", "unit", "ratio", "target", "met");
    private static final int VALUE = 1;
    private static final int UNIT = 2;

    public Report {
        results = List.copyOf(results);
    }

    public String table() {
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
    public List<List<String>> rows() {
        return results.stream().map(result -> cells(result, result.name())).toList();
    }

    public void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        JsonMapper json =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        Files.writeString(file, json.writeValueAsString(results) + "\n");
    }

    public long missed() {
        return results.stream().filter(Result::missed).count();
    }

    /** A result in the order of the headings, without the name of its scenario. */
    public static List<String> cells(Result result) {
        return cells(result, result.whose());
    }

    private static List<String> cells(Result result, String name) {
        return List.of(
                name,
                result.value().text(),
                result.unit(),
                result.ratio() == null ? "" : String.format(Locale.ROOT, "%.2f", result.ratio()),
                text(result.target()),
                result.met() == null ? "" : result.met() ? "yes" : "NO");
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    /** A reason in place of a number has the rest of the line for itself. */
    private static void widen(int[] widths, List<String> row) {
        for (int column = 0; column < widths.length; column++) {
            if (column == VALUE && row.get(UNIT).isEmpty()) {
                continue;
            }
            widths[column] = Math.max(widths[column], row.get(column).length());
        }
    }

    private static String line(int[] widths, List<String> row) {
        String format = "%-" + widths[0] + "s  %" + widths[1] + "s  %-" + widths[2] + "s  %" + widths[3] + "s  %-"
                + widths[4] + "s  %s";
        return String.format(Locale.ROOT, format, row.toArray()).stripTrailing();
    }
}
