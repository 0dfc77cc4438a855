package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.Event;
import io.postrider.Headers;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventTextTest {

    @ParameterizedTest
    @ValueSource(strings = {" ", "\t", "\u0001", "\u007f", "\u0085", "\u00a0", "\u2007", "\u2028", "\u3000"})
    void a_blank_is_no_part_of_a_type_and_no_name_of_a_header(String blank) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Event.of("order" + blank + "paid", 1))
                .withMessageContaining("none of them blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Headers(Map.of(blank, "x")))
                .withMessage("a header needs a name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Event.of("paid", 1).key(blank + blank))
                .withMessageContaining("not all of them blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Event.of("paid", 1).tenant(blank))
                .withMessageContaining("not all of them blank");
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\u0085", "\u00a0", "\u2028", "\u3000"})
    void a_blank_beside_something_else_is_taken_in_keys_tenants_and_names_of_headers(String blank) {
        String text = blank + "é";
        Event event = Event.of("paid", 1).key(text).tenant(text).header(text, "x");
        assertThat(event.headers().values()).containsOnlyKeys(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"é", "日本", "🐎", "\u200b", "\ufeff", "a.b-c_d/e:f"})
    void a_character_that_is_no_blank_is_taken_in_a_type(String type) {
        assertThat(Event.of(type, 1).type()).isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"old\u00a0type", "\u3000", "old\u0085"})
    void a_type_that_only_older_logs_have_taken_is_accepted_for_a_copy(String type) {
        Event.requireLogged(type, "\u00a0", "\u3000", Headers.NONE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Event.requireLogged("old type", null, null, Headers.NONE));
    }
}
