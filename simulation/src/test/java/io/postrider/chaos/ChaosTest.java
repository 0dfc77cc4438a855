package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The short set; {@code ./chaos} runs all. */
class ChaosTest {
    private static final Path LOGS = Path.of("target", "chaos-logs");

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
        Result result = new Trial(scenario, LOGS.resolve(scenario.name())).run();
        System.out.printf("%s: %s%n", scenario.sentence(), result);
        assertThat(result.verdict().evidence())
                .as("events lost, out of order or from a rollback")
                .isEqualTo(List.of());
        assertThat(result.held()).as("every promise: %s", result).isTrue();
    }
}
