package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChaosOptionsTest {

    @Test
    void without_options_everything_runs_in_full() {
        ChaosOptions options = parse();
        assertThat(options.scenarios()).isEqualTo(Scenarios.ALL);
        assertThat(options.brokerScenarios()).extracting(BrokerScenario::name).isEqualTo(Scenarios.WITH_A_BROKER);
        assertThat(options.events()).isEqualTo(200_000);
        assertThat(options.outage()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void a_name_runs_that_scenario_alone() {
        ChaosOptions options = parse("relay", "--events", "5000", "--seed", "7");
        assertThat(options.scenarios()).isEmpty();
        assertThat(options.brokerScenarios()).singleElement().isInstanceOf(Relay.class);
        assertThat(options.events()).isEqualTo(5_000);
        assertThat(options.seed()).isEqualTo(7);
        assertThat(parse("node-killed").brokerScenarios()).isEmpty();
    }

    @Test
    void the_short_set_has_no_broker() {
        assertThat(parse("--quick").scenarios()).isEqualTo(Scenarios.QUICK);
        assertThat(parse("--quick").brokerScenarios()).isEmpty();
    }

    @Test
    void what_is_not_understood_is_named() {
        assertThatThrownBy(() -> parse("earthquake")).hasMessageContaining("earthquake");
        assertThatThrownBy(() -> parse("--quick", "relay")).hasMessageContaining("relay");
        assertThatThrownBy(() -> parse("--outage", "long")).hasMessageContaining("--outage takes a number, got 'long'");
        assertThatThrownBy(() -> parse("--events")).hasMessageContaining("got 'nothing'");
        assertThatThrownBy(() -> parse("--events", "3").brokerScenarios()).hasMessageContaining("got 3");
        assertThatThrownBy(() -> parse("--outage", "0").brokerScenarios()).hasMessageContaining("PT0S");
    }

    private static ChaosOptions parse(String... arguments) {
        return ChaosOptions.parse(List.of(arguments));
    }
}
