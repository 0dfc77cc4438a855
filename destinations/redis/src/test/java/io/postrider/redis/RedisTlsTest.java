package io.postrider.redis;

import static io.postrider.redis.Letters.dispatch;
import static io.postrider.redis.Letters.letter;
import static io.postrider.redis.Letters.probe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.destination.Outcome;
import io.postrider.tck.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisTlsTest {
    @TempDir
    static Path folder;

    static TestCertificates certificates;

    @BeforeAll
    static void sign() {
        certificates = TestCertificates.in(folder);
    }

    private static RedisServer server(Path data, boolean mutual) {
        return RedisServer.in(data)
                .tls(
                        certificates.file("ca.pem"),
                        certificates.file("server.pem"),
                        certificates.file("server.key"),
                        mutual)
                .password("secret")
                .start();
    }

    private static RedisConfig redis(RedisServer server) {
        return RedisConfig.at("127.0.0.1", server.port()).password("secret").connectWithin(Duration.ofSeconds(5));
    }

    private static RedisTls trusting() {
        return RedisTls.trusting(certificates.file("ca.pem"));
    }

    private static RedisTls mutual() {
        return trusting().certificate(certificates.file("client.pem"), certificates.file("client.key"));
    }

    private static void assertDelivers(RedisConfig redis) throws Exception {
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis)) {
            assertThat(dispatch(destination, letter("ann", "text"))).containsExactly(Outcome.DELIVERED);
        }
    }

    private static void assertProbeFails(RedisConfig redis, String why) {
        try (RedisBus bus = RedisBus.open(redis)) {
            assertThatThrownBy(() -> probe(bus))
                    .hasMessageContaining(redis.address())
                    .hasMessageContaining(why);
        }
    }

    @Test
    void a_server_whose_authority_we_trust_is_taken_and_no_other(@TempDir Path data) throws Exception {
        try (RedisServer server = server(data, false)) {
            assertDelivers(redis(server).tls(trusting()));
            assertProbeFails(redis(server).tls(RedisTls.trusted()), "certification path");
        }
    }

    @Test
    void a_server_that_wants_a_certificate_takes_ours_and_nobody_without(@TempDir Path data) throws Exception {
        try (RedisServer server = server(data, true)) {
            assertDelivers(redis(server).tls(mutual()));
            assertProbeFails(redis(server).tls(trusting()), "");
        }
    }

    @Test
    void the_other_sides_speak_tls_too(@TempDir Path data) throws Exception {
        try (RedisServer server = server(data, true)) {
            RedisConfig redis = redis(server).tls(mutual());
            assertDelivers(redis);
            try (EventBus bus = EventBus.open(redis);
                    RedisStreamSource source =
                            RedisStreamSource.open(redis, RedisStreamSourceConfig.of("events", "readers"))) {
                assertThat(bus.isListening()).isTrue();
                assertThat(source.pull(1, Duration.ofSeconds(10))).hasSize(1);
            }
        }
    }
}
