package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reasons go to logs: a payload that cannot be read is not in them. */
class JsonTest {
    private static final String SECRET = "s3cr3t";

    private final Json json = new Json(JacksonCodec.standard());

    private enum Kind {
        DEBIT
    }

    private record Card(int number, Kind kind) {
        private Card {
            if (number < 0) {
                throw new IllegalArgumentException("a card has a number");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"number\": \"s3cr3t\"}",
                "{\"kind\": \"s3cr3t\"}",
                "{\"number\": s3cr3t}",
                "{\"number\": 17, \"kind\": [\"s3cr3t\"]}",
                "\"s3cr3t\"",
                "s3cr3t"
            })
    void an_unreadable_payload_is_told_without_what_it_has(String payload) {
        Throwable failure = catchThrowable(() -> json.decode(payload, Card.class));
        assertThat(failure)
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("cannot be read as " + Card.class.getName())
                .hasMessageContaining("line 1, column");
        assertThat(stack(failure)).doesNotContain(SECRET);
    }

    private record Trip(Instant at, ZoneId zone, URI link, Map<String, Integer> seats, Map<Kind, Integer> paid) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"at\": \"s3cr3t\"}",
                "{\"zone\": \"s3cr3t/x\"}",
                "{\"link\": \"ht tp://s3cr3t\"}",
                "{\"seats\": {\"s3cr3t@mail\": \"x\"}}",
                "{\"paid\": {\"s3cr3t\": 1}}",
                "{\"s3cr3t\": 1}"
            })
    void neither_the_cause_of_a_failure_nor_a_key_of_a_map_shows_the_payload(String payload) {
        Json strict = new Json(JacksonCodec.of(JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build()));
        Throwable failure = catchThrowable(() -> strict.decode(payload, Trip.class));
        assertThat(failure).isInstanceOf(UnreadableException.class);
        assertThat(stack(failure)).doesNotContain(SECRET);
    }

    @Test
    void a_key_of_a_map_is_told_as_a_key() {
        assertThat(catchThrowable(() -> json.decode("{\"seats\": {\"k\": \"x\"}}", Trip.class)))
                .hasMessageContaining("the field 'seats.{…}'");
    }

    @Test
    void the_field_is_told_and_the_class_of_an_own_exception() {
        Throwable failure = catchThrowable(() -> json.decode("{\"number\": -1}", Card.class));
        assertThat(failure).hasNoCause().hasMessageContaining("caused by java.lang.IllegalArgumentException");
        assertThat(catchThrowable(() -> json.decode("{\"kind\": 3}", Card.class)))
                .hasMessageContaining("the field 'kind'");
    }

    private static String stack(Throwable failure) {
        StringWriter all = new StringWriter();
        failure.printStackTrace(new PrintWriter(all));
        return all.toString();
    }
}
