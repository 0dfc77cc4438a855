package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JsonTextTest {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "0",
                "-0.5e+10",
                "\"\"",
                "true",
                "false",
                "null",
                " [ 1 , { } , [ ] ] ",
                "\"\\u00e9\\n\\/\"",
                "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"d\":\"é€😀\"}",
                "1E5",
                "[[[]],[]]",
                "\t\r\n{\"a\" : 1 }\n"
            })
    void takes_what_is_json(String text) {
        assertThatNoException().isThrownBy(() -> check(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "}",
                "[1,]",
                "{\"a\":1,}",
                "{\"a\"}",
                "{a:1}",
                "{\"a\":1 \"b\":2}",
                "01",
                "1.",
                ".5",
                "+1",
                "-",
                "1e",
                "tru",
                "nulll",
                "'a'",
                "\"a",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\n\"",
                "[1] 2",
                "[1}",
                "{\"a\":1]",
                "NaN",
                "[,1]",
                "// 1",
                "é",
                "{\"unfinished\": "
            })
    void refuses_what_is_not(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> check(text));
    }

    @Test
    void says_what_is_wrong_and_where() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> check("{\"é\": 1, b: 2}"))
                .withMessage("expected a name in quotes at character 10");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> check("{\"unfinished\": "))
                .withMessage("expected a value, but it ends there");
    }

    @Test
    void refuses_what_is_nested_too_deep() {
        int most = JsonText.NESTING_MAX;
        assertThatNoException().isThrownBy(() -> check("[".repeat(most) + "]".repeat(most)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> check("[".repeat(most + 1) + "]".repeat(most + 1)))
                .withMessageContaining("500 deep");
    }

    /** Nearly JSON: pieces of it in any order. */
    @Property(tries = 20_000)
    void agrees_with_the_parser_that_reads_payloads(@ForAll("pieces") String text) {
        assertThat(isValid(text)).as(text).isEqualTo(isRead(text));
    }

    @Provide
    Arbitrary<String> pieces() {
        return Arbitraries.of(
                        "{",
                        "}",
                        "[",
                        "]",
                        ",",
                        ":",
                        "\"a\"",
                        "\"\"",
                        "1",
                        "0",
                        "-",
                        ".",
                        "e",
                        "+",
                        "true",
                        "null",
                        " ",
                        "\\",
                        "\"",
                        "\\u00e9",
                        "\\n",
                        "é",
                        "\n",
                        "\"k\":",
                        "{}",
                        "[1,2]",
                        "{\"a\":1}")
                .list()
                .ofMaxSize(9)
                .map(pieces -> String.join("", pieces));
    }

    private static void check(String text) {
        JsonText.requireValid(text.getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isValid(String text) {
        try {
            check(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isRead(String text) {
        try {
            return !MAPPER.readTree(text).isMissingNode();
        } catch (JacksonException e) {
            return false;
        }
    }
}
