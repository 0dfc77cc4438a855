package io.postrider.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Receipt;
import io.postrider.wire.Percent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Texts that are read and written by hand: acknowledgements, headers, subjects. */
final class TextTest {

    private static @Nullable Receipt read(String json) {
        return Acknowledgements.read(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void an_acknowledgement_is_read_as_servers_write_it() {
        assertThat(read("{\"stream\":\"ORDERS\", \"seq\":17}")).isEqualTo(new Receipt("ORDERS", 17));
        assertThat(read("{\"stream\":\"ORDERS\",\"seq\":1,\"duplicate\": true}"))
                .isEqualTo(new Receipt("ORDERS", 1));
        assertThat(read("{\"stream\":\"ORDERS\", \"domain\":\"eu\", \"seq\":1}"))
                .isNull();
    }

    @Test
    void what_is_written_otherwise_is_left_to_a_reader_of_json() {
        for (String other : List.of(
                "",
                "{",
                "{\"stream\":\"",
                "{\"stream\":\"A\"",
                "{\"stream\":\"A\",",
                "{\"stream\":\"A\", \"seq\":",
                "{\"stream\":\"A\", \"seq\":}",
                "{\"stream\":\"A\", \"seq\":1",
                "{\"stream\":\"A\", \"seq\":1.5}",
                "{\"stream\":\"A\", \"seq\":-1}",
                "{\"stream\":\"A\\\"B\", \"seq\":1}",
                "{\"stream\":\"A\", \"seq\":1234567890123456789}",
                "{\"error\":{\"code\":503},\"stream\":\"A\",\"seq\":0}")) {
            assertThat(read(other)).as(other).isNull();
        }
    }

    @Test
    void headers_are_read_as_they_were_written() {
        for (String text : List.of(
                "", "plain", " a b ", "100%", "%41", "a\r\nb: c", "\u624b\u7d19 \ud83d\udcef", "\"\u0001\u007f")) {
            String encoded = Percent.encode(text);
            assertThat(encoded.chars()).as(text).allMatch(c -> c > ' ' && c <= '~');
            assertThat(Percent.decode(encoded)).isEqualTo(text);
            assertThat(Percent.decode(NatsHeaders.name("x" + text))).isEqualTo("x" + text);
        }
        assertThat(NatsHeaders.name("a:b")).isEqualTo("a%3Ab");
        assertThat(NatsHeaders.name("nats-Msg-Id")).isEqualTo("%6Eats-Msg-Id");
    }

    @Test
    void what_was_never_encoded_is_read_as_it_is() {
        for (String text : List.of("100%", "%", "%4", "%zz", "50% off", "%ff")) {
            assertThat(Percent.decode(text)).isEqualTo(text);
        }
    }

    @Test
    void patterns_cover_and_overlap_token_by_token() {
        assertThat(Subjects.covers("a.*", "a.b")).isTrue();
        assertThat(Subjects.covers("a.>", "a.b.c")).isTrue();
        assertThat(Subjects.covers("a.>", "a")).isFalse();
        assertThat(Subjects.covers("a.*", "a.>")).isFalse();
        assertThat(Subjects.covers("a.>", "a.*")).isTrue();
        assertThat(Subjects.covers("a.*", "a.b.c")).isFalse();
        assertThat(Subjects.overlap("a.*", "*.b")).isTrue();
        assertThat(Subjects.overlap("a.>", "*.b.c")).isTrue();
        assertThat(Subjects.overlap("a.b", "a.c")).isFalse();
        assertThat(Subjects.overlap("a", "a.>")).isFalse();
        assertThat(Objects.requireNonNull(Subjects.illegalPattern("a.>.b"))).contains("rest");
        assertThat(Subjects.illegalPattern("a.b>c")).isNull();
    }
}
