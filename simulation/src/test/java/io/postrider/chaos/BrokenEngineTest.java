package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Real processes again, but this time something is wrong with them: a harness that sees nothing would find all fine.
 */
class BrokenEngineTest {
    private static final Path LOGS = Path.of("target", "chaos-logs");
    private static final Scenario LIES = new Mistreatment(BrokenNode.BRINGS_A_ROLLED_BACK_ONE);
    private static final Scenario ENDS = new Mistreatment(BrokenNode.ENDS_THE_PROCESS);
    private static final Scenario TOO_LATE = new KilledTooLate();
    private static final Machine MACHINE = new Machine(1, "any", "any", "any");
    private static final Pace BRISK =
            new Pace(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofMillis(100), Duration.ofSeconds(3));

    private static final ExecutorService TWO_AT_A_TIME = Executors.newFixedThreadPool(2);
    private static final Map<Scenario, Future<Report>> REPORTS = new HashMap<>();

    @BeforeAll
    static void start() {
        for (Scenario scenario : List.of(LIES, ENDS, TOO_LATE)) {
            List<Scenario> alone = List.of(scenario);
            REPORTS.put(scenario, TWO_AT_A_TIME.submit(() -> Chaos.strike(MACHINE, alone, LOGS, BRISK)));
        }
    }

    @AfterAll
    static void stop() {
        TWO_AT_A_TIME.shutdownNow();
    }

    @Test
    void a_node_that_drops_swaps_repeats_and_makes_up_events_is_found_out() throws Exception {
        Report report = reportOf(LIES);
        assertThat(report.gaps()).isEmpty();
        Result.Verdict verdict = report.results().get(0).verdict();
        assertThat(verdict.lost()).isEqualTo(1);
        assertThat(verdict.inversions()).isEqualTo(1);
        assertThat(verdict.resurrected()).isEqualTo(1);
        assertThat(verdict.duplicates()).isEqualTo(1);
        assertThat(verdict.evidence().toString())
                .containsSubsequence(
                        "lost",
                        sequence(BrokenNode.DROPPED),
                        "out of order",
                        sequence(BrokenNode.OVERTAKES),
                        "rolled back");
        assertThat(Chaos.tell(report)).isEqualTo(Chaos.BROKEN);
    }

    @Test
    void a_node_that_ends_by_itself_is_not_taken_for_a_fault_of_the_scenario() throws Exception {
        Report report = reportOf(ENDS);
        assertThat(report.gaps())
                .extracting(Report.Gap::why)
                .containsExactly("node-1 ended by itself; its log says why");
        assertThat(Chaos.tell(report)).isEqualTo(Chaos.UNMEASURED);
    }

    @Test
    void a_fault_that_does_not_take_hold_is_neither_held_nor_broken() throws Exception {
        Report report = reportOf(TOO_LATE);
        assertThat(report.results()).isEmpty();
        assertThat(report.gaps())
                .extracting(Report.Gap::why)
                .containsExactly("the fault did not take hold: node-1 had no lane");
        assertThat(Chaos.tell(report)).isEqualTo(Chaos.UNMEASURED);
    }

    private static String sequence(int number) {
        return "sequence=" + number;
    }

    private static Report reportOf(Scenario scenario) throws Exception {
        return Objects.requireNonNull(REPORTS.get(scenario)).get();
    }

    /** Kills a node that has handed everything back before. */
    private static final class KilledTooLate implements Scenario {
        @Override
        public String name() {
            return "killed-too-late";
        }

        @Override
        public String sentence() {
            return "A node that has stopped gets SIGKILL.";
        }

        @Override
        public Setup setup() {
            return Setup.PLAIN.nodes(1);
        }

        @Override
        public Fault strike(Cluster cluster) throws Exception {
            cluster.nodes().get(0).terminate();
            return new NodeKilled().strike(cluster);
        }
    }
}
