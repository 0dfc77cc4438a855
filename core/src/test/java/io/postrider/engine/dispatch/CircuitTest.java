package io.postrider.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.SystemEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CircuitTest {
    private final SystemEnvironment environment = new SystemEnvironment();

    @AfterEach
    void close() {
        environment.close();
    }

    @Test
    void what_was_learned_before_another_failure_of_the_same_outage_is_worth_nothing() {
        Circuit circuit = new Circuit(new Silent(), environment, Duration.ofHours(1), new Observers(List.of()));
        circuit.down("cut off");
        long learned = circuit.outages();
        circuit.down("cut off again");
        assertThat(circuit.outages()).isGreaterThan(learned);
        assertThat(circuit.status().get(0).why()).isEqualTo("cut off");
    }

    /** Is asked, and never answers. */
    private static final class Silent implements Destination {
        @Override
        public Profile profile() {
            return new Profile("silent", 1, 1, Duration.ofHours(1));
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Void> probe() {
            return new CompletableFuture<>();
        }
    }
}
