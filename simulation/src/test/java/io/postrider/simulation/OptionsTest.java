package io.postrider.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void ten_thousand_seeds_unless_told_otherwise() {
        assertThat(Options.parse()).isEqualTo(new Options(10_000, 1, null, false, false));
        assertThat(Options.parse("--seeds", "5", "--from", "7")).isEqualTo(new Options(5, 7, null, false, false));
    }

    @Test
    void what_it_does_not_know_is_named() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("--sedes", "5"))
                .withMessage("there is no option '--sedes'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("--seeds", "0"))
                .withMessage("--seeds takes a number, got '0'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("--seed"))
                .withMessage("--seed takes a number, got 'nothing'");
    }
}
