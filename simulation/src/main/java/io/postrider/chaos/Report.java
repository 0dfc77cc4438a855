package io.postrider.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The results, as a table for people and as JSON for machines. */
record Report(Machine machine, List<Result> results, List<BrokerResult> brokers, List<Gap> gaps) {
    /** The first columns are words, the others figures. */
    static final int WORDS = 2;

    static final List<String> HEADINGS = List.of(
            "scenario",
            "fault",
            "events/s",
            "committed",
            "lost",
            "out of order",
            "rolled back",
            "duplicates",
            "longest lag",
            "recovery",
            "limit",
            "held");

    /** A scenario that says nothing about the engine, and why. */
    record Gap(String scenario, String why) {}

    Report {
        results = List.copyOf(results);
        brokers = List.copyOf(brokers);
        gaps = List.copyOf(gaps);
    }

    boolean held() {
        return results.stream().allMatch(Result::held) && brokers.stream().allMatch(BrokerResult::held);
    }

    /** Both, from the same machine. */
    Report plus(Report other) {
        return new Report(machine, both(results, other.results), both(brokers, other.brokers), both(gaps, other.gaps));
    }

    private static <T> List<T> both(List<T> one, List<T> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    boolean complete() {
        return gaps.isEmpty();
    }

    /** The cells of each result, in the order of the headings. */
    List<List<String>> rows() {
        return results.stream().map(Report::cells).toList();
    }

    String table() {
        List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
        rows.addAll(rows());
        StringBuilder table = new StringBuilder();
        for (List<String> row : rows) {
            for (int column = 0; column < row.size(); column++) {
                table.append(padded(row.get(column), width(rows, column), column < WORDS));
            }
            table.setLength(table.length() - 2);
            table.append('\n');
        }
        return table.toString();
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        JsonMapper json =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        Files.writeString(file, json.writeValueAsString(this) + "\n");
    }

    private static List<String> cells(Result result) {
        Result.Verdict verdict = result.verdict();
        Result.Timing timing = result.timing();
        return List.of(
                result.scenario(),
                result.fault(),
                String.format(Locale.ROOT, "%.0f", result.volume().eventsPerSecond()),
                Integer.toString(result.volume().committed()),
                Integer.toString(verdict.lost()),
                Integer.toString(verdict.inversions()),
                Integer.toString(verdict.resurrected()),
                Integer.toString(verdict.duplicates()),
                seconds(timing.longestLagMillis()),
                seconds(timing.recoveryMillis()),
                seconds(timing.recoveryMillisMax()),
                result.held() ? "yes" : "NO");
    }

    private static String seconds(long millis) {
        return Fault.seconds(Duration.ofMillis(millis));
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }

    private static String padded(String cell, int width, boolean word) {
        String space = " ".repeat(width - cell.length());
        return word ? cell + space + "  " : space + cell + "  ";
    }
}
