package io.postrider.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointConfigTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ftp://example.com/ | the scheme 'ftp'",
                "file:///etc/passwd | the scheme 'file'",
                "gopher://example.com/ | the scheme 'gopher'",
                "//example.com/ | the scheme 'null'",
                "example.com | the scheme 'null'",
                "https:///path | a host",
                "https://under_score.example.com/ | under_score",
                "https://example.com:0/ | got 0",
                "https://example.com:70000/ | got 70000",
                "https://example.com/#part | #part",
                "https://[fe80::1%25eth0]/ | scope",
                "http://2130706433/ | 2130706433",
                "http://017700000001/ | 017700000001",
                "http://0x7f000001/ | 0x7f000001",
                "http://0x7f.1/ | 0x7f.1",
                "http://0177.0.0.1/ | 0177.0.0.1",
                "http://127.1/ | 127.1",
                "http://127.0.0.1./ | 127.0.0.1.",
                "http://256.1.1.1/ | 256.1.1.1",
                "http://1.2.3.4.5/ | 1.2.3.4.5",
                "http://example.0x1/ | example.0x1",
                "https://example.com./ | example.com.",
                "https://aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg.com/ | gggg.com"
            })
    void a_url_that_leads_nowhere_is_refused_at_the_start(String url, String said) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EndpointConfig.unsigned(url))
                .withMessageContaining(said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://ann:pass-word@example.com/",
                "https://pass-word@example.com/",
                "https://a:pass-word%zz@b/"
            })
    void a_password_in_a_url_is_refused_and_not_shown(String url) {
        assertThatThrownBy(() -> EndpointConfig.unsigned(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("pass-word")
                .hasNoCause();
    }

    @Test
    void a_url_says_where_a_request_goes() {
        assertThat(HttpTarget.of(URI.create("https://Example.com")))
                .isEqualTo(new HttpTarget(true, "example.com", 443, "/"));
        assertThat(HttpTarget.of(URI.create("http://example.com:8080/a%20b?c=d&e")))
                .isEqualTo(new HttpTarget(false, "example.com", 8080, "/a%20b?c=d&e"));
        assertThat(HttpTarget.of(URI.create("http://[::1]:81/ä")).authority()).isEqualTo("[::1]:81");
        assertThat(HttpTarget.of(URI.create("http://[::1]:81/ä")).path()).isEqualTo("/%C3%A4");
        assertThat(HttpTarget.of(URI.create("https://1.2.3.4/x?token=secret"))).hasToString("https://1.2.3.4/x");
    }

    @ParameterizedTest
    @CsvSource({
        "Host, x",
        "content-length, 1",
        "Transfer-Encoding, chunked",
        "Connection, close",
        "webhook-id, 1",
        "Webhook-Signature, v1",
        "postrider-type, x",
        "ce-id, 1",
        "'bad name', x",
        "'', x",
        "'a:b', x"
    })
    void a_header_that_is_not_the_operators_to_set_is_refused(String name, String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EndpointConfig.unsigned("https://example.com").header(name, value))
                .withMessageContaining("'" + name + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nHost: evil", "a\nb", "a\rb", "a\0b", "ä", " a", "a ", ""})
    void a_header_value_that_http_does_not_allow_is_refused_and_not_shown(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EndpointConfig.unsigned("https://example.com").header("X-Key", value))
                .withMessage("the value of the header 'X-Key' has characters that HTTP does not allow");
    }

    @Test
    void a_quantity_out_of_its_bounds_is_refused_with_its_name() {
        EndpointLimits limits = EndpointLimits.DEFAULT;
        assertThatThrownBy(() -> limits.concurrency(0)).hasMessage("concurrency is 1 to 1000, got 0");
        assertThatThrownBy(() -> limits.perSecond(-1)).hasMessageContaining("perSecond");
        assertThatThrownBy(() -> limits.redirects(6)).hasMessageContaining("redirects is 0 to 5, got 6");
        assertThatThrownBy(() -> limits.responseBytes(1 << 20)).hasMessageContaining("responseBytes");
        assertThatThrownBy(() -> limits.timeouts(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("connectTimeout");
        assertThatThrownBy(() -> limits.timeouts(Duration.ofSeconds(1), Duration.ofHours(1)))
                .hasMessage("responseTimeout is 1 ms to 10 min, got 1 h");
        assertThatThrownBy(() -> limits.retryAfterMax(Duration.ofDays(8)))
                .hasMessageContaining("retryAfterMax is 0 s to 7 d, got 8 d");
        assertThatThrownBy(() -> limits.keepAlive(Duration.ofSeconds(-1))).hasMessageContaining("keepAlive");
    }

    @Test
    void patience_counts_the_turns_of_a_rate() {
        EndpointLimits limits = EndpointLimits.DEFAULT
                .timeouts(Duration.ofSeconds(1), Duration.ofSeconds(3))
                .concurrency(10);
        assertThat(limits.patience()).isEqualTo(Duration.ofSeconds(5));
        assertThat(limits.perSecond(2).patience()).isEqualTo(Duration.ofSeconds(10));
        assertThat(WebhookConfig.to(
                                EndpointConfig.unsigned("https://example.com").limits(limits))
                        .patience())
                .isEqualTo(Duration.ofSeconds(5));
    }
}
