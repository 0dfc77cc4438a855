package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.store.Store;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StorePortsTest {

    @Test
    void whatever_a_store_answers_without_being_asked_anything_is_a_port_or_a_value() {
        assertThat(Arrays.stream(Store.class.getMethods())
                        .filter(method -> method.getParameterCount() == 0)
                        .filter(method -> !StorePorts.isPort(method))
                        .map(method -> method.getName()))
                .containsExactlyInAnyOrder("log", "limitations", "lanes");
    }
}
