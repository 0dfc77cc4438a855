package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Headers and seals without Jackson, as Jackson has them. */
class JsonTreeTest {
    private static final JsonMapper JACKSON = JsonMapper.builder().build();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"a\":\"b\"}",
                " { \"a\" : \"b\" , \"c\" : [ 1 , -2 , true , null , { } ] , \"d\" : { \"e\" : [ [ ] ] } } ",
                "[[\"nats\",\"ORDERS\",4711,\"0199\",[100,1,3]]]",
                "{\"a\":\"quote \\\" slash \\\\ line \\n tab \\t return \\r\"}",
                "{\"a\":\"bell \\u0007 e-acute \\u00e9 smile \\ud83d\\ude00\"}",
                "{\"a\":\"\\b\\f\\/\"}",
                "{\"a\":1,\"a\":2}",
                "\"text\"",
                "17",
                "null"
            })
    void a_text_is_read_and_written_as_jackson_does(String text) {
        String written = JsonObject.written(JsonTree.read(text));
        assertThat(JACKSON.readTree(written)).isEqualTo(JACKSON.readTree(text));
    }

    @Test
    void texts_of_any_characters_come_back() {
        Map<String, String> values = new LinkedHashMap<>();
        for (char next = 0; next < 0x300; next++) {
            values.put("n" + (int) next, "<" + next + ">");
        }
        String text = JsonObject.of(values);
        assertThat(JsonTree.read(text)).isEqualTo(values);
        JsonNode node = JACKSON.readTree(text);
        values.forEach((name, value) -> assertThat(node.get(name).stringValue()).isEqualTo(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"a\"}", "{a:1}", "[1,]", "{\"a\":1,}", "\"", "01", "{} {}", "\"\\x\""})
    void what_is_not_json_is_refused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> JsonTree.read(text));
    }

    @Test
    void numbers_stay_as_they_were_written() {
        assertThat(JsonTree.read("[1.0, 1e2, 12345678901234567890]"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .extracting(Object::toString)
                .isEqualTo(List.of("1.0", "1e2", "12345678901234567890"));
    }
}
