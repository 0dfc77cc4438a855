package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.observe.Observation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An observer that fails hurts nobody. */
class ObserversTest {
    @Test
    void an_observer_whose_failure_cannot_be_told_keeps_no_other_from_being_told() {
        List<Observation> seen = new ArrayList<>();
        Observers observers = new Observers(List.of(
                observation -> {
                    throw new Speechless();
                },
                seen::add));
        Observation removed = new Observation.Removed("letters");
        String told = Told.by(() -> observers.observe(removed));
        assertThat(seen).containsExactly(removed);
        assertThat(told).contains("An observer failed", "Speechless");
    }
}
