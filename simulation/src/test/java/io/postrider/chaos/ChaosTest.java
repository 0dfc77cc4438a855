package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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

/** The short set; {@code ./chaos} runs all. */
class ChaosTest {
    private static final Path LOGS = Path.of("target", "chaos-logs");
    /** A trial mostly waits, and two of them leave the machine some air. */
    private static final ExecutorService TWO_AT_A_TIME = Executors.newFixedThreadPool(2);

    private static final Map<String, Future<Result>> TRIALS = new HashMap<>();

    @BeforeAll
    static void start() {
        for (Scenario scenario : Scenarios.QUICK) {
            Trial trial = new Trial(scenario, LOGS.resolve(scenario.name()), Pace.FULL);
            TRIALS.put(scenario.name(), TWO_AT_A_TIME.submit(trial::run));
        }
    }

    @AfterAll
    static void stop() {
        TWO_AT_A_TIME.shutdownNow();
    }

    @Test
    void nothing_is_lost_when_postgresql_is_killed() throws Exception {
        survives(new PostgresCrash());
    }

    @Test
    void nothing_is_lost_when_connections_go_silent_without_closing() throws Exception {
        survives(new HalfOpen());
    }

    @Test
    void the_others_take_over_from_a_node_that_is_killed() throws Exception {
        survives(new NodeKilled());
    }

    @Test
    void a_node_that_was_frozen_for_longer_than_its_lease_disturbs_nobody_when_it_goes_on() throws Exception {
        survives(new NodeFrozen());
    }

    private static void survives(Scenario scenario) throws Exception {
        Result result = Objects.requireNonNull(TRIALS.get(scenario.name())).get();
        System.out.printf("%s: %s%n", scenario.sentence(), result);
        assertThat(result.verdict().evidence())
                .as("events lost, out of order or from a rollback")
                .isEqualTo(List.of());
        assertThat(result.held()).as("every promise: %s", result).isTrue();
    }
}
