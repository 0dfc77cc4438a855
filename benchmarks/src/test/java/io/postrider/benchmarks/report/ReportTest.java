package io.postrider.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {
    private static final Report REPORT = new Report(List.of(
            Result.told("told", 1_234, "events/s"),
            Result.compared("met", 1_234, "events/s", 20.5, Target.atLeast(20)),
            Result.judged("missed", 30, "ms", Target.atMost(25))));

    @Test
    void a_missed_target_is_counted_and_shown() {
        assertThat(REPORT.missed()).isEqualTo(1);
        assertThat(REPORT.table().lines())
                .anySatisfy(line -> assertThat(line).startsWith("met").endsWith("20.50  >= 20.00  yes"))
                .anySatisfy(line -> assertThat(line).startsWith("missed").endsWith("<= 25.00  NO"));
    }

    @Test
    void who_cannot_do_something_says_so_in_place_of_a_number(@TempDir Path folder) throws Exception {
        Report report = new Report(List.of(Result.cannot("peer", "it has no order")));
        Path file = folder.resolve("results.json");

        report.write(file);

        assertThat(report.missed()).isZero();
        assertThat(report.table()).contains("cannot: it has no order");
        assertThat(JsonMapper.builder()
                        .build()
                        .readTree(Files.readString(file))
                        .get(0)
                        .get("value")
                        .stringValue())
                .isEqualTo("cannot: it has no order");
    }

    @Test
    void the_json_has_what_the_table_has_and_the_settings(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("new/results.json");

        REPORT.write(file);

        JsonNode results = JsonMapper.builder().build().readTree(Files.readString(file));
        assertThat(results.size()).isEqualTo(3);
        assertThat(results.get(1).propertyNames())
                .containsExactly("name", "value", "unit", "ratio", "target", "met", "how");
        assertThat(results.get(0).get("value").doubleValue()).isEqualTo(1_234);
        assertThat(results.get(2).get("met").booleanValue()).isFalse();
        assertThat(results.get(0).get("target").isNull()).isTrue();
    }
}
