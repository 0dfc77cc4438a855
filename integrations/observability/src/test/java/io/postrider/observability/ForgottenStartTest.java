package io.postrider.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.postrider.Postrider;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A subscription that nobody started is told, because everything else about it looks right. */
class ForgottenStartTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.postrider.Unstarted");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    @Test
    void what_was_described_and_never_started_is_told_when_the_node_closes_and_what_was_started_is_not() {
        try (Postrider<MemoryTransaction> node = Postrider.on(MemoryStore.create())) {
            node.subscribe("started").on("**", (payload, context) -> {}).start();
            node.subscribe("forgotten").on("**", (payload, context) -> {});
        }
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains("subscription 'forgotten'")
                    .contains("call start()");
        });
    }

    @Test
    void a_description_that_was_refused_is_not_told_as_forgotten() {
        try (Postrider<MemoryTransaction> node = Postrider.on(MemoryStore.create())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> node.subscribe("refused").on("order.>", (payload, context) -> {}));
        }
        assertThat(lines.list).isEmpty();
    }
}
