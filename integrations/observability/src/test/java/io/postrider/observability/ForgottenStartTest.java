package io.postrider.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.postrider.ConsumerBuilder;
import io.postrider.Postrider;
import io.postrider.TransactionalHandler;
import io.postrider.destination.Source;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import java.time.Duration;
import java.util.List;
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

    @Test
    void a_consumer_that_was_refused_is_not_told_as_forgotten() {
        try (Postrider<MemoryTransaction> node = Postrider.on(MemoryStore.create())) {
            TransactionalHandler<MemoryTransaction, String> handler = (transaction, payload, context) -> {};
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> consumer(node, "pattern").onTransaction("order.>", handler));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> consumer(node, "twice")
                            .onTransaction("order.*", handler)
                            .onTransaction("order.*", handler));
        }
        assertThat(lines.list).isEmpty();
    }

    private static ConsumerBuilder<MemoryTransaction> consumer(Postrider<MemoryTransaction> node, String name) {
        return node.consume(name, new SilentSource());
    }

    /** Nothing ever comes from it. */
    private static final class SilentSource implements Source {
        @Override
        public String name() {
            return "silent";
        }

        @Override
        public List<Arrival> pull(int most, Duration wait) {
            return List.of();
        }

        @Override
        public boolean countsAttempts() {
            return true;
        }

        @Override
        public void close() {}
    }
}
