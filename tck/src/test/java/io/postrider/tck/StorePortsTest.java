package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.store.Store;
import io.postrider.store.Watch;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StorePortsTest {

    /** A cursor is an interface of ours, too. */
    @Test
    void whatever_a_port_answers_is_no_port() throws NoSuchMethodException {
        assertThat(StorePorts.isPort(Store.class.getMethod("watch"))).isTrue();
        assertThat(StorePorts.isPort(Watch.class.getMethod("now"))).isFalse();
    }

    @Test
    void whatever_a_store_answers_without_being_asked_anything_is_a_port_or_a_value() {
        assertThat(Arrays.stream(Store.class.getMethods())
                        .filter(method -> method.getParameterCount() == 0)
                        .filter(method -> !StorePorts.isPort(method))
                        .map(method -> method.getName()))
                .containsExactlyInAnyOrder("log", "limitations", "lanes");
    }
}
