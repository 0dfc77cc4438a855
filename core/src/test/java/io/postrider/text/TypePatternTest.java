package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypePatternTest {

    @ParameterizedTest
    @CsvSource({
        "letter.sent, letter.sent, true",
        "letter.sent, letterXsent, false",
        "letter.*, letter.sent, true",
        "letter.*, letter., true",
        "letter.*, letter, false",
        "letter.*, letter.sent.twice, false",
        "*.sent, letter.sent, true",
        "*.*, letter.sent, true",
        "letter.**, letter.sent.twice, true",
        "**.sent, big.letter.sent, true",
        "**, anything.at.all, true",
        "*, anything.at.all, false",
        "l*r.sent, letter.sent, true",
        "a+b(c, a+b(c, true",
        "a+b*, a+bc, true",
    })
    void a_star_stands_for_anything_but_a_dot_and_two_for_anything(String pattern, String type, boolean matches) {
        assertThat(new TypePattern(pattern).compile().matcher(type).matches()).isEqualTo(matches);
    }

    @Test
    void a_pattern_with_characters_of_two_halves_takes_their_types() {
        assertThat(TypePattern.compile("o*.\uD83C\uDF89")
                        .matcher("order.\uD83C\uDF89")
                        .matches())
                .isTrue();
        assertThat(TypePattern.compile("*.\uD842\uDFB7\u91CE")
                        .matcher("a.\uD842\uDFB7\u91CE")
                        .matches())
                .isTrue();
        assertThat(TypePattern.compile("o*.\uD83C\uDF89")
                        .matcher("order.\uD83C\uDF8A")
                        .matches())
                .isFalse();
    }

    @Test
    void a_blank_is_refused_because_stored_filters_are_words() {
        for (String text : new String[] {"a b", " a", "a.b ", "a.*\tb"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new TypePattern(text))
                    .withMessageContaining("has a blank");
        }
    }

    /** A subscription to such a type would be taken for a queue by its filter. */
    @Test
    void a_mark_of_stored_filters_is_refused() {
        for (String text : new String[] {"#queue", "#stays-blocked", "#any.thing"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new TypePattern(text))
                    .withMessageContaining("begins with '#'");
        }
    }

    @Test
    void a_pattern_without_a_star_is_exact() {
        assertThat(new TypePattern("letter.sent").isExact()).isTrue();
        assertThat(new TypePattern("letter.*").isExact()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "a..b, has an empty part",
        ".a, has an empty part",
        "a., has an empty part",
        "a.>, for everything that follows",
        "a.#, for everything that follows",
        "a.**.b, only as the whole first or last part",
        "a.b**, only as the whole first or last part",
        "***, only as the whole first or last part",
    })
    void a_pattern_that_would_not_match_what_is_meant_is_refused_with_what_would(String pattern, String said) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TypePattern(pattern))
                .withMessageContaining("'" + pattern + "'")
                .withMessageContaining(said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "#queue", "a..b", "a.>", "a.**.b"})
    void a_refusal_names_the_forms_that_a_pattern_may_have(String pattern) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TypePattern(pattern))
                .withMessageContaining("'order.placed'")
                .withMessageContaining("'order.*'")
                .withMessageContaining("'order.**'")
                .withMessageContaining("'**.failed'");
    }

    @Test
    void a_pattern_has_something_in_it() {
        assertThatIllegalArgumentException().isThrownBy(() -> new TypePattern(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> new TypePattern("x".repeat(Event.NAME_MAX + 1)));
    }
}
