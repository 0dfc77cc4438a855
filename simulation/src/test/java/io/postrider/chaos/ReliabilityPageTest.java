package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReliabilityPageTest {
    @Test
    void the_page_shows_the_proof_of_each_fault(@TempDir Path folder) throws IOException {
        Result result = Result.of(
                new NodeKilled(),
                Fault.over("killed a node with 6 lanes"),
                new Result.Volume(300, 2_000, 1_000, 100, 0),
                new Result.Verdict(0, 0, 0, 0, List.of()),
                new Result.Timing(3_100, 3_100, 6_000),
                List.of());
        Path page = folder.resolve("page.md");
        ReliabilityPage.write(
                page, new Report(new Machine(2, "any", "any", "any"), List.of(result), List.of(), List.of()), "--docs");
        assertThat(Files.readAllLines(page))
                .contains("|---|---" + "|---:".repeat(10) + "|")
                .anyMatch(line -> line.startsWith("| scenario | fault | events/s |"))
                .anyMatch(line -> line.startsWith("| node-killed | killed a node with 6 lanes | 300 | 2000 | 0 |"));
    }

    @Test
    void the_page_has_a_table_for_each_scenario_with_a_broker(@TempDir Path folder) throws IOException {
        BrokerResult result =
                new BrokerResult.Findings().figure("events", 7).of(new BrokerOutage(Duration.ofMinutes(10)));
        Path page = folder.resolve("page.md");
        ReliabilityPage.write(
                page, new Report(new Machine(2, "any", "any", "any"), List.of(), List.of(result), List.of()), "--docs");
        assertThat(Files.readAllLines(page))
                .contains("## With a broker", "### outage", "| events | 7 |", "| held | yes |")
                .anyMatch(line -> line.contains("is away for 600 s"))
                .allMatch(line -> line.length() <= 240);
    }
}
