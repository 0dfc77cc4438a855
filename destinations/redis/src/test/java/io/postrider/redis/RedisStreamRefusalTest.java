package io.postrider.redis;

import static io.postrider.redis.Letters.dispatch;
import static io.postrider.redis.Letters.letter;
import static io.postrider.redis.Letters.probe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.protocol.CommandType;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.Ports;
import io.postrider.tck.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server can have against an event, against everybody, and against us. */
class RedisStreamRefusalTest {
    private static final RedisStreamConfig CONFIG = RedisStreamConfig.defaults().profile(ServerFixture.PROFILE);

    private final Eventually eventually = new Eventually(Onlooker.PATIENCE);
    private RedisServer server;
    private Onlooker onlooker;
    private RedisConfig redis;

    @BeforeEach
    void start(@TempDir Path folder) {
        server = RedisServer.in(folder).start();
        onlooker = Onlooker.of(server);
        redis = RedisConfig.at("127.0.0.1", server.port()).connectWithin(Duration.ofSeconds(3));
    }

    @AfterEach
    void stop() {
        onlooker.close();
        server.close();
    }

    private static String whyDown(List<Outcome> outcomes) {
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Down.class);
        return ((Outcome.Down) outcomes.get(0)).why();
    }

    private static String whyDead(List<Outcome> outcomes) {
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Dead.class);
        return ((Outcome.Dead) outcomes.get(0)).why();
    }

    @Test
    void a_server_without_memory_is_down_until_it_has_some() throws Exception {
        for (Duration dedupFor : List.of(Duration.ZERO, Duration.ofMinutes(1))) {
            try (RedisStreamDestination destination = RedisStreamDestination.open(redis, CONFIG.dedupFor(dedupFor))) {
                onlooker.redis().configSet("maxmemory", "1");
                assertThat(whyDown(dispatch(destination, letter("ann", "text"))))
                        .contains("OOM");
                assertThatThrownBy(() -> probe(destination)).hasMessageContaining("OOM");
                onlooker.redis().configSet("maxmemory", "0");
                probe(destination);
                assertThat(dispatch(destination, letter("ann", "text"))).containsExactly(Outcome.DELIVERED);
            }
        }
    }

    @Test
    void a_server_that_became_a_replica_is_down_until_it_is_a_primary_again() throws Exception {
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, CONFIG)) {
            onlooker.redis().replicaof("127.0.0.1", Ports.free());
            assertThat(whyDown(dispatch(destination, letter("ann", "text")))).contains("READONLY");
            assertThatThrownBy(() -> probe(destination)).hasMessageContaining("READONLY");
            onlooker.redis().replicaofNoOne();
            probe(destination);
            assertThat(dispatch(destination, letter("ann", "text"))).containsExactly(Outcome.DELIVERED);
        }
    }

    @Test
    void a_key_that_we_may_not_write_is_the_end_of_its_events_and_of_no_others() throws Exception {
        onlooker.send(CommandType.ACL, "SETUSER", "app", "on", ">secret", "+@all", "~events:letter.*");
        RedisStreamConfig perType = CONFIG.rule(StreamRule.perType("events:"));
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis.user("app", "secret"), perType)) {
            StoredEvent forbidden = letter("parcel.sent", "ann", "1", Headers.NONE);
            assertThat(whyDead(dispatch(destination, forbidden)))
                    .startsWith("Redis refuses the stream 'events:parcel.sent': NOPERM");
            assertThat(dispatch(destination, letter("ann", "text"))).containsExactly(Outcome.DELIVERED);
            probe(destination);
        }
        assertThat(onlooker.redis().xlen("events:letter.sent")).isEqualTo(1);
    }

    @Test
    void a_key_that_holds_something_else_is_the_end_of_its_events_and_named() throws Exception {
        onlooker.redis().set("events:letter.sent", "text");
        RedisStreamConfig perType = CONFIG.rule(StreamRule.perType("events:"));
        for (Duration dedupFor : List.of(Duration.ZERO, Duration.ofMinutes(1))) {
            try (RedisStreamDestination destination = RedisStreamDestination.open(redis, perType.dedupFor(dedupFor))) {
                assertThat(whyDead(dispatch(destination, letter("ann", "text"))))
                        .startsWith("Redis refuses the stream 'events:letter.sent': WRONGTYPE");
            }
        }
    }

    @Test
    void a_message_over_the_limit_is_dead_and_the_limit_is_named() throws Exception {
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, CONFIG.messageBytesMax(1_000))) {
            assertThat(whyDead(dispatch(destination, letter("ann", "x".repeat(1_000)))))
                    .contains("messageBytesMax")
                    .contains("1000");
        }
    }

    @Test
    void an_event_that_the_rule_gives_no_stream_is_dead() throws Exception {
        RedisStreamConfig blank = CONFIG.rule(new StreamRule(event -> "", "events"));
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, blank)) {
            assertThat(whyDead(dispatch(destination, letter("ann", "text")))).contains("letter.sent");
        }
    }

    @Test
    void a_script_that_the_server_forgot_is_loaded_by_the_probe() throws Exception {
        RedisStreamConfig once = CONFIG.dedupFor(Duration.ofMinutes(1));
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, once)) {
            onlooker.redis().scriptFlush();
            assertThat(whyDown(dispatch(destination, letter("ann", "text")))).contains("NOSCRIPT");
            probe(destination);
            assertThat(dispatch(destination, letter("ann", "text"))).containsExactly(Outcome.DELIVERED);
        }
    }

    @Test
    void a_key_that_is_no_stream_is_found_at_the_start() {
        onlooker.redis().set("events", "text");
        assertThatThrownBy(() -> RedisStreamDestination.open(redis, CONFIG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'events' is a string");
    }

    /** A server that does not answer in time is only told of: it gets more time than a busy machine needs. */
    @Test
    void a_wrong_password_is_a_clear_error_at_the_start_that_does_not_tell_it() {
        onlooker.redis().configSet("requirepass", "right");
        RedisConfig wrong = redis.password("hunter2").connectWithin(Duration.ofSeconds(30));
        for (Runnable open : List.<Runnable>of(
                () -> RedisStreamDestination.open(wrong, CONFIG),
                () -> RedisBus.open(wrong),
                () -> EventBus.open(wrong))) {
            assertThatThrownBy(open::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(redis.address())
                    .hasMessageContaining("WRONGPASS")
                    .satisfies(error -> assertThat(stack(error)).doesNotContain("hunter2"));
        }
        assertThatThrownBy(() -> RedisBus.open(redis.connectWithin(Duration.ofSeconds(30))))
                .hasMessageContaining("NOAUTH");
    }

    private static String stack(Throwable error) {
        java.io.StringWriter text = new java.io.StringWriter();
        error.printStackTrace(new java.io.PrintWriter(text));
        return text.toString();
    }

    @Test
    void the_right_password_is_taken() throws Exception {
        onlooker.redis().configSet("requirepass", "right");
        try (RedisBus bus = RedisBus.open(redis.password("right"))) {
            assertThat(dispatch(bus, letter("ann", "text"))).containsExactly(Outcome.DELIVERED);
        }
    }

    @Test
    void a_host_that_is_not_there_is_down_and_named() throws Exception {
        RedisConfig closed = RedisConfig.at("127.0.0.1", Ports.free());
        RedisConfig unknown = RedisConfig.at("no-such-host.invalid", 6379);
        for (RedisConfig nowhere : List.of(closed, unknown)) {
            try (RedisStreamDestination destination = RedisStreamDestination.open(nowhere, CONFIG)) {
                assertThat(whyDown(dispatch(destination, letter("ann", "text"))))
                        .contains(nowhere.address());
                assertThatThrownBy(() -> probe(destination)).hasMessageContaining(nowhere.address());
            }
        }
    }

    @Test
    void a_password_is_in_no_text() {
        RedisConfig secret = redis.user("app", "hunter2").tls(RedisTls.trusted().keyPassword("hunter3"));
        assertThat(secret.toString()).contains("app").doesNotContain("hunter2").doesNotContain("hunter3");
    }

    @Test
    void settings_that_make_no_sense_are_refused_with_the_value() {
        assertThatThrownBy(() -> RedisConfig.at(" ", 1)).hasMessageContaining("host");
        assertThatThrownBy(() -> RedisConfig.at("localhost", 70_000)).hasMessageContaining("70000");
        assertThatThrownBy(() -> redis.database(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> redis.password("")).hasMessageContaining("password");
        assertThatThrownBy(() -> RedisTls.trusting(Path.of("missing.pem"))).hasMessageContaining("missing.pem");
        assertThatThrownBy(() -> CONFIG.dedupFor(Duration.ofSeconds(-1))).hasMessageContaining("dedupFor");
        assertThatThrownBy(() -> CONFIG.minReplicas(-1)).hasMessageContaining("minReplicas");
        assertThatThrownBy(() -> Trim.toLength(0)).hasMessageContaining("0");
        assertThatThrownBy(() -> StreamRule.one("")).hasMessageContaining("stream");
    }

    @Test
    void after_a_pause_the_last_connection_is_ended_before_the_next_is_used() throws Exception {
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, CONFIG)) {
            server.pauseProcess();
            assertThat(whyDown(dispatch(destination, letter("ann", "text")))).contains("not answered");
            server.resumeProcess();
            eventually.holds(() -> probe(destination));
            assertThat(onlooker.redis().clientList().lines().filter(line -> line.contains("name=postrider")))
                    .hasSize(1);
        }
    }

    private static void isDelivered(Destination destination) throws Exception {
        assertThat(dispatch(destination, letter("ann", "text"))).containsExactly(Outcome.DELIVERED);
    }

    @Test
    void what_too_few_replicas_have_is_down_until_there_are_enough(@TempDir Path folder) throws Exception {
        Destination.Profile hasty = new Destination.Profile("redis", 16, 64, Duration.ofMillis(300));
        RedisStreamConfig replicated = CONFIG.profile(hasty).minReplicas(1);
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, replicated)) {
            assertThat(whyDown(dispatch(destination, letter("ann", "text")))).contains("minReplicas is 1");
            assertThatThrownBy(() -> probe(destination)).hasMessageContaining("minReplicas is 1");
            try (RedisServer replica = RedisServer.in(folder).replicaOf(server).start()) {
                assertThat(replica.isRunning()).isTrue();
                eventually.holds(() -> probe(destination));
                isDelivered(destination);
            }
        }
    }

    // ---- what stays -------------------------------------------------------------------------------------------------

    @Test
    void a_stream_is_trimmed_to_about_its_length() throws Exception {
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, CONFIG.trim(Trim.toLength(200)))) {
            for (int i = 0; i < 1_000; i++) {
                isDelivered(destination);
            }
        }
        assertThat(onlooker.redis().xlen("events")).isBetween(200L, 400L);
    }

    @Test
    void a_stream_is_trimmed_to_about_its_age() throws Exception {
        try (RedisStreamDestination destination =
                RedisStreamDestination.open(redis, CONFIG.trim(Trim.toAge(Duration.ofMillis(1))))) {
            for (int i = 0; i < 500; i++) {
                isDelivered(destination);
            }
        }
        assertThat(onlooker.redis().xlen("events")).isBetween(1L, 300L);
    }

    @Test
    void nothing_is_trimmed_unless_asked_for() throws Exception {
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis, CONFIG)) {
            for (int i = 0; i < 500; i++) {
                isDelivered(destination);
            }
        }
        assertThat(onlooker.redis().xlen("events")).isEqualTo(500);
    }

    @Test
    void what_remembers_an_event_goes_by_itself() throws Exception {
        StoredEvent event = letter("ann", "text");
        try (RedisStreamDestination destination =
                RedisStreamDestination.open(redis, CONFIG.dedupFor(Duration.ofSeconds(60)))) {
            assertThat(dispatch(destination, event, event)).containsExactly(Outcome.DELIVERED, Outcome.DELIVERED);
        }
        assertThat(onlooker.redis().xlen("events")).isEqualTo(1);
        assertThat(onlooker.redis().pttl("events:seen:" + event.id())).isBetween(1L, 60_000L);
    }
}
