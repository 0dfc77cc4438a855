package io.postrider.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class SecretTest {
    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final long TIMESTAMP = 1614265330;
    private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
    private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    @Test
    void the_signature_is_that_of_the_published_example() {
        assertThat(Letters.SECRET.sign(ID, TIMESTAMP, BODY)).isEqualTo(SIGNATURE);
        assertThat(Letters.SECRET.verifies(SIGNATURE, ID, TIMESTAMP, BODY)).isTrue();
    }

    @Test
    void the_prefix_may_be_left_out() {
        assertThat(Secret.of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).isEqualTo(Letters.SECRET);
        assertThat(Letters.OTHER_SECRET).isNotEqualTo(Letters.SECRET);
    }

    @Test
    void any_change_is_noticed() {
        assertThat(Letters.OTHER_SECRET.verifies(SIGNATURE, ID, TIMESTAMP, BODY))
                .isFalse();
        assertThat(Letters.SECRET.verifies(SIGNATURE, ID + "x", TIMESTAMP, BODY))
                .isFalse();
        assertThat(Letters.SECRET.verifies(SIGNATURE, ID, TIMESTAMP + 1, BODY)).isFalse();
        assertThat(Letters.SECRET.verifies(SIGNATURE, ID, TIMESTAMP, new byte[0]))
                .isFalse();
        assertThat(Letters.SECRET.verifies("v1,", ID, TIMESTAMP, BODY)).isFalse();
        assertThat(Letters.SECRET.verifies("v1a" + SIGNATURE.substring(2), ID, TIMESTAMP, BODY))
                .isFalse();
    }

    @Test
    void what_is_no_secret_is_refused_without_being_shown() {
        assertThatThrownBy(() -> Secret.of("whsec_not*base64"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("and this one is not base64; 'openssl rand -base64 32' makes one")
                .hasMessageNotContaining("not*")
                .hasNoCause();
        assertThatThrownBy(() -> Secret.of("whsec_c2hvcnQ="))
                .hasMessage("a webhook secret is 24 to 64 bytes written as base64, with or without 'whsec_' before it,"
                        + " and read as base64 this one has 5; 'openssl rand -base64 32' makes one")
                .hasMessageNotContaining("c2hvcnQ");
        assertThatThrownBy(() -> Secret.of(Base64.getEncoder().encodeToString(new byte[65])))
                .hasMessageContaining("this one has 65");
        assertThatThrownBy(() -> Secret.of("")).hasMessageContaining("this one has 0");
    }

    @Test
    void a_variable_that_is_not_set_is_no_secret_and_that_is_said() {
        assertThatThrownBy(() -> Secret.of(System.getenv("POSTRIDER_NOBODY_SETS_THIS")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no webhook secret")
                .hasMessageContaining("openssl rand -base64 32");
    }

    @Test
    void a_secret_shows_itself_to_nobody() {
        EndpointConfig endpoint = EndpointConfig.of("https://example.com/in?token=hidden", Letters.SECRET)
                .header("Authorization", "Bearer hidden");
        assertThat(Letters.SECRET.toString()).isEqualTo("whsec_…");
        assertThat(endpoint.toString()).doesNotContain("MfKQ").doesNotContain("hidden");
        assertThat(WebhookConfig.to(endpoint).toString()).doesNotContain("MfKQ").doesNotContain("hidden");
        assertThat(ReceiverConfig.of(Letters.SECRET).toString()).doesNotContain("MfKQ");
    }
}
