package io.postrider.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadsTest {

    @ParameterizedTest
    @ValueSource(longs = {0, 7, 999, 1_000, 1_007, 123_456_789})
    void a_numbered_payload_tells_its_number_and_has_the_size_of_all(long number) {
        String payload = Payloads.numbered(number);

        assertThat(Payloads.number(payload)).isEqualTo(number);
        assertThat(payload).hasSize(Payloads.BYTES).startsWith("{").endsWith("\"}");
    }
}
