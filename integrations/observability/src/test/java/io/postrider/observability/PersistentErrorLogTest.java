package io.postrider.observability;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.store.Store;
import io.postrider.tck.StorePorts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An error that stays is told with its stack once, and does not fill the log. */
class PersistentErrorLogTest {
    private static final int OFTEN = 20;

    private final Lines lines = new Lines();
    private final AtomicInteger thrown = new AtomicInteger();

    @AfterEach
    void close() {
        lines.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Claim.read", "Watch.watch", "Tasks.prepare"})
    void an_error_that_stays_has_one_stack_and_names_the_class_path(String call) {
        PostriderConfig config = PostriderConfig.defaults()
                .limits(NodeLimits.builder()
                        .pollMin(Duration.ofMillis(2))
                        .pollMax(Duration.ofMillis(20))
                        .backoffMax(Duration.ofMillis(200))
                        .build());
        try (Postrider<MemoryTransaction> node = Postrider.on(broken(call), config)) {
            node.subscribe("letters")
                    .on("letter.*", String.class, new Letters())
                    .queue(Queue.DEFAULT)
                    .start();
            Eventually.holds(() -> assertThat(thrown).hasValueGreaterThan(OFTEN));
        }
        List<ILoggingEvent> told = lines.about("failed unexpectedly");
        assertThat(told).singleElement().satisfies(line -> {
            assertThat(line.getThrowableProxy()).isNotNull();
            assertThat(line.getFormattedMessage()).contains("another version than expected");
        });
        assertThat(lines.about("times in a row")).hasSizeLessThan(2);
    }

    private Store<MemoryTransaction> broken(String call) {
        return StorePorts.of(MemoryStore.create(), (method, made) -> {
            if (call.equals(method.getDeclaringClass().getSimpleName() + "." + method.getName())) {
                thrown.incrementAndGet();
                throw new NoSuchMethodError("simulated");
            }
            return made.now();
        });
    }
}
