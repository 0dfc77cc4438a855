package io.postrider.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.impl.Headers;
import io.postrider.destination.Receipt;
import io.postrider.wire.Message;
import io.postrider.wire.Percent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    void headers_are_written_byte_for_byte_as_the_client_library_writes_them() {
        HeaderWriter writer = new HeaderWriter();
        for (int size : List.of(0, 1, 6, 11, 12, 13, 24, 100)) {
            for (String stream : Arrays.asList(null, "ORDERS")) {
                Map<String, String> headers = new LinkedHashMap<>();
                for (int i = 0; i < size; i++) {
                    headers.put("name " + i, "value \u00e9 " + i);
                }
                Headers expected = new Headers().put("Nats-Msg-Id", "1");
                if (stream != null) {
                    expected.put("Nats-Expected-Stream", stream);
                }
                headers.forEach((name, value) -> expected.put(NatsHeaders.name(name), Percent.encode(value)));
                byte[] bytes = new Headers(expected, true).getSerialized();
                Message message = new Message(headers, new byte[0]);
                for (int again = 0; again < 2; again++) {
                    Headers written = writer.write(message, "1", stream);
                    byte[] copied = new byte[bytes.length];
                    assertThat(written.serializeToArray(0, copied)).isEqualTo(written.serializedLength());
                    assertThat(copied).as("%d headers", size).isEqualTo(bytes);
                }
            }
        }
    }

    @Test
    void an_events_header_does_not_become_the_servers_though_a_route_has_written_one_of_its_name() {
        HeaderWriter writer = new HeaderWriter();
        Message unrouted = new Message(Map.of("Nats-Expected-Stream", "OTHER"), new byte[0]);
        String routed = text(writer.write(new Message(Map.of(), new byte[0]), "1", "ORDERS"));
        assertThat(routed).contains("\r\nNats-Expected-Stream:ORDERS\r\n");
        assertThat(text(writer.write(unrouted, "1", null))).contains("\r\n%4Eats-Expected-Stream:OTHER\r\n");
    }

    @Test
    void a_header_that_nats_cannot_carry_is_refused() {
        HeaderWriter writer = new HeaderWriter();
        for (Map<String, String> headers :
                List.of(Map.of("ce-id", "a\r\nb: c"), Map.of("ce-id", "\u00e9"), Map.of("", "a"))) {
            assertThatThrownBy(() -> writer.write(new Message(headers, new byte[0]), "1", null))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static String text(Headers headers) {
        return new String(headers.getSerialized(), StandardCharsets.US_ASCII);
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
        assertThat(Subjects.illegalPattern("*.b.>")).isNull();
        assertThat(Subjects.illegalPattern(">")).isNull();
    }

    @Test
    void a_wildcard_that_is_not_a_whole_token_is_none() {
        for (String token : List.of("**", ">>", "b*", "b>c")) {
            assertThat(Objects.requireNonNull(Subjects.illegalPattern("a." + token)))
                    .contains("'" + token + "'", "'*' for one token", "'>' for the rest");
        }
    }
}
