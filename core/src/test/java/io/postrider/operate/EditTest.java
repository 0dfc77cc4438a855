package io.postrider.operate;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EditTest {
    @Test
    @SuppressWarnings("NullAway") // what a caller without a null checker may pass
    void an_edit_without_an_id_is_refused() {
        assertThatThrownBy(() -> Operate.Edit.of(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UUID.randomUUID()");
    }
}
