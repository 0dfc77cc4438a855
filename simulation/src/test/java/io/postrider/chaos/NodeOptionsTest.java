package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeOptionsTest {

    @Test
    void options_survive_the_command_line() {
        NodeOptions options = NodeOptions.DEFAULT
                .types(NumberedEvent.TYPE, NumberedEvent.LATER_TYPE)
                .segmentSize(100)
                .retain(Duration.ofMillis(500))
                .pruneEvery(Duration.ofSeconds(1));
        assertThat(NodeOptions.parse(options.arguments())).isEqualTo(options);
    }

    @Test
    void without_arguments_they_are_the_defaults() {
        assertThat(NodeOptions.parse(List.of())).isEqualTo(NodeOptions.DEFAULT);
        assertThatThrownBy(() -> NodeOptions.parse(List.of("one"))).hasMessageContaining("[one]");
    }
}
