package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text of events writes no log lines of its own and moves no terminal. */
class PrintableTest {
    @Test
    void line_breaks_controls_and_separators_become_question_marks() {
        assertThat(Printable.name("a\nb\r\u001b[31mc\u0085d\u009be\u2028f\u2029g\u007fh\u202ei"))
                .isEqualTo("a?b??[31mc?d?e?f?g?h?i");
        assertThat(Printable.name("half \ud83d")).isEqualTo("half ?");
        assertThat(Printable.is("a\nb")).isFalse();
    }

    @Test
    void letters_of_all_languages_stay() {
        String text = "ünï 東京 😀 {it's}";
        assertThat(Printable.name(text)).isEqualTo(text);
        assertThat(Printable.is(text)).isTrue();
    }

    @Test
    void a_long_text_is_cut_between_characters() {
        assertThat(Printable.of("😀😀😀😀", 3)).isEqualTo("😀😀…");
        assertThat(Printable.of("😀😀😀", 3)).isEqualTo("😀😀😀");
    }
}
