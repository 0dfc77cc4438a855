package io.postrider.redis;

import static io.postrider.redis.Letters.dispatch;
import static io.postrider.redis.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.CommandType;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.Ports;
import io.postrider.tck.server.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server can have against a source, at its start and later, and what it cannot even say. */
class RedisSourceRefusalTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final RedisStreamSourceConfig CONFIG =
            RedisStreamSourceConfig.of("events", "readers").patience(Duration.ofSeconds(2));

    private RedisServer server;
    private Onlooker onlooker;
    private RedisConfig redis;

    @BeforeEach
    void start(@TempDir Path folder) {
        server = RedisServer.in(folder).start();
        onlooker = Onlooker.of(server);
        redis = at(server.port());
    }

    private static RedisConfig at(int port) {
        return RedisConfig.at("127.0.0.1", port).connectWithin(Duration.ofSeconds(3));
    }

    @AfterEach
    void stop() {
        onlooker.close();
        server.close();
    }

    @Test
    void a_wrong_password_fails_the_open_and_is_not_told() {
        onlooker.redis().configSet("requirepass", "right");
        assertThatThrownBy(() -> RedisStreamSource.open(redis.password("hunter2"), CONFIG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(redis.address())
                .hasMessageContaining("WRONGPASS")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> RedisStreamSource.open(redis, CONFIG)).hasMessageContaining("NOAUTH");
    }

    @Test
    void a_key_that_is_no_stream_fails_the_open() {
        onlooker.redis().set("events", "text");
        assertThatThrownBy(() -> RedisStreamSource.open(redis, CONFIG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'events' is a string and no stream");
    }

    @Test
    void a_server_that_is_not_there_fails_each_pull_and_not_the_open() {
        RedisConfig nowhere = RedisConfig.at("127.0.0.1", Ports.free());
        try (RedisStreamSource source = RedisStreamSource.open(nowhere, CONFIG)) {
            assertThatThrownBy(() -> source.pull(1, SHORT))
                    .isInstanceOf(SourceException.class)
                    .hasMessageContaining("redis:events/readers at " + nowhere.address() + " does not answer");
        }
    }

    @Test
    void what_the_server_refuses_later_is_told_as_that_and_in_its_words() {
        String refuses = "Redis at " + redis.address() + " refuses redis:events/readers: ";
        try (RedisStreamSource source = RedisStreamSource.open(redis.password("hunter2"), CONFIG)) {
            onlooker.redis().set("events", "text");
            assertThatThrownBy(() -> source.pull(1, SHORT))
                    .isInstanceOf(SourceException.class)
                    .hasMessageStartingWith(refuses + "WRONGTYPE");
            onlooker.redis().del("events");
            onlooker.redis().configSet("requirepass", "right");
            onlooker.redis().clientKill(KillArgs.Builder.skipme());
            new Eventually(Onlooker.PATIENCE)
                    .holds(() -> assertThatThrownBy(() -> source.pull(1, SHORT))
                            .isInstanceOf(SourceException.class)
                            .hasMessageStartingWith(refuses + "WRONGPASS")
                            .hasMessageNotContaining("hunter2"));
        }
    }

    @Test
    void settings_that_make_no_sense_are_refused_with_the_value() {
        assertThatThrownBy(() -> RedisStreamSourceConfig.of("events", " ")).hasMessageContaining("group");
        try (RedisStreamSource source = RedisStreamSource.open(redis, CONFIG)) {
            assertThatThrownBy(() -> source.pull(0, SHORT)).hasMessageContaining("most");
        }
    }

    @Test
    void answers_take_another_connection_when_theirs_has_gone_silent() throws Exception {
        try (Tunnel tunnel = Tunnel.to(server.port());
                RedisStreamDestination destination = RedisStreamDestination.open(redis);
                RedisStreamSource source = RedisStreamSource.open(at(tunnel.port()), CONFIG)) {
            dispatch(destination, letter("ann", "1"), letter("ann", "2"));
            List<Source.Arrival> arrivals = source.pull(2, Onlooker.PATIENCE);
            arrivals.get(0).ack();
            awaitPending(1, () -> {});
            tunnel.silence();
            awaitPending(0, arrivals.get(1)::ack);
        }
    }

    @Test
    void acknowledgements_that_are_refused_while_reading_works_are_told_once() throws Exception {
        PrintStream log = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try (RedisStreamDestination destination = RedisStreamDestination.open(redis);
                RedisStreamSource source = RedisStreamSource.open(redis, CONFIG)) {
            dispatch(destination, letter("ann", "1"), letter("ann", "2"), letter("ann", "3"));
            List<Source.Arrival> arrivals = source.pull(3, Onlooker.PATIENCE);
            onlooker.redis().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.XACK));
            arrivals.get(0).ack();
            arrivals.get(1).working();
            arrivals.get(1).ack();
            new Eventually(Onlooker.PATIENCE)
                    .holds(() -> assertThat(lines.toString(StandardCharsets.UTF_8))
                            .contains("cannot be acknowledged", "NOPERM", "'events'", "+XACK"));
            awaitRefusals(2);
            onlooker.redis().aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.XACK));
            arrivals.get(2).ack();
            awaitPending(2, () -> {});
            arrivals.get(0).ack();
            awaitPending(1, () -> {});
            assertThat(lines.toString(StandardCharsets.UTF_8)).containsOnlyOnce("cannot be acknowledged");
        } finally {
            System.setErr(log);
        }
    }

    /** By Redis's own count: an acknowledgement that is under way when the right comes back is not refused. */
    private void awaitRefusals(int count) {
        new Eventually(Onlooker.PATIENCE)
                .holds(() -> assertThat(onlooker.redis().info("commandstats"))
                        .containsPattern("cmdstat_xack:.*rejected_calls=" + count));
    }

    private void awaitPending(long count, Runnable before) {
        new Eventually(Onlooker.PATIENCE, SHORT).holds(() -> {
            before.run();
            assertThat(onlooker.redis().xpending("events", "readers").getCount())
                    .isEqualTo(count);
        });
    }
}
