package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BrokerResultTest {
    private static final BrokerScenario ANY = new BrokerOutage(Duration.ofSeconds(20));
    private static final Machine MACHINE = new Machine(1, "any", "any", "any");

    @Test
    void figures_alone_break_nothing() {
        BrokerResult result = new BrokerResult.Findings()
                .figure("events", 7)
                .exactly("dead", 0, 0)
                .of(ANY);
        assertThat(result.held()).isTrue();
        assertThat(result.figures())
                .containsExactly(new BrokerResult.Figure("events", "7"), new BrokerResult.Figure("dead", "0"));
    }

    @Test
    void one_promise_that_is_not_kept_breaks_it_and_the_report() {
        BrokerResult result = new BrokerResult.Findings()
                .exactly("dead", 0, 2)
                .promise(true, "nothing")
                .of(ANY);
        assertThat(result.held()).isFalse();
        assertThat(result.broken()).containsExactly("dead: 2 instead of 0");
        Report report = new Report(MACHINE, List.of(), List.of(result), List.of());
        assertThat(report.held()).isFalse();
        assertThat(new Report(MACHINE, List.of(), List.of(), List.of())
                        .plus(report)
                        .held())
                .isFalse();
        assertThat(Chaos.tell(report)).isEqualTo(Chaos.BROKEN);
    }
}
