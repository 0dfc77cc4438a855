package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Small ones; {@code ./chaos relay outage} runs those of full size. */
class BrokerScenarioTest {
    private static final Path LOGS = Path.of("target", "chaos-logs");

    @Test
    void each_effect_comes_once_and_in_order_whoever_is_killed_on_the_way() throws Exception {
        holds(new Relay(new Relay.Size(2_000, 250, Duration.ofMillis(600)), 5));
    }

    @Test
    void nothing_is_lost_where_a_stream_goes_back_behind_its_consumer() throws Exception {
        holds(new WentBack(1_200, 2));
    }

    /** A backlog of so few seconds is gone before its rate means anything. */
    @Test
    void an_outage_of_the_broker_costs_no_attempt_and_parks_nothing() throws Exception {
        holds(new BrokerOutage(Duration.ofSeconds(4), 0));
    }

    private static void holds(BrokerScenario scenario) throws Exception {
        BrokerResult result = scenario.run(LOGS.resolve(scenario.name()));
        System.out.println(result);
        assertThat(result.broken()).as("promises: %s", result).isEmpty();
        assertThat(result.held()).isTrue();
    }
}
