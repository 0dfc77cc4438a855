package io.postrider.nats;

import static io.postrider.nats.Letters.dispatch;
import static io.postrider.nats.Letters.letter;
import static io.postrider.nats.Letters.why;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.tck.server.NatsServer;
import io.postrider.tck.server.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams are looked at when a destination starts, and created or changed if it is told to. */
final class StreamsTest {
    private static final StreamSpec ORDERS = StreamSpec.of("ORDERS", "orders.>");

    @TempDir
    Path folder;

    private NatsServer server;
    private final List<JetStreamDestination> started = new ArrayList<>();

    @BeforeEach
    void startServer() {
        server = NatsServer.in(folder).start();
    }

    @AfterEach
    void stopServer() {
        started.forEach(JetStreamDestination::close);
        server.close();
    }

    private JetStreamDestination start(JetStreamConfig config) {
        JetStreamDestination destination = JetStreamDestination.start(config);
        started.add(destination);
        return destination;
    }

    private JetStreamDestination start(Streams streams) {
        return start(JetStreamConfig.of(Patiently.servers(server)).streams(streams));
    }

    @Test
    void a_missing_stream_is_an_error_that_names_it() {
        assertThatThrownBy(() -> start(Streams.verify(ORDERS)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("there is no stream 'ORDERS'");
        assertThatThrownBy(() -> start(Streams.existing().routes(new Route("orders.>", "ORDERS"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("route orders.> → ORDERS: there is no stream 'ORDERS'");
    }

    @Test
    void a_missing_stream_is_created_if_that_is_wanted() {
        StreamSpec spec = ORDERS.storage(StreamSpec.Storage.MEMORY)
                .duplicateWindow(Duration.ofMinutes(7))
                .maxAge(Duration.ofHours(3));
        start(Streams.create(spec));
        start(Streams.verify(spec));
    }

    @Test
    void a_different_stream_is_an_error_that_names_the_difference_or_is_changed() {
        start(Streams.create(ORDERS));
        StreamSpec other = StreamSpec.of("ORDERS", "orders.>", "bills.>").duplicateWindow(Duration.ofMinutes(5));
        for (Streams streams : List.of(Streams.verify(other), Streams.create(other))) {
            assertThatThrownBy(() -> start(streams))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("stream 'ORDERS' is not as it has to be")
                    .hasMessageContaining("subjects [orders.>] instead of")
                    .hasMessageContaining("duplicateWindow PT1H instead of PT5M");
        }
        start(Streams.update(other));
        start(Streams.verify(other));
    }

    @Test
    void what_the_server_does_not_allow_is_an_error_in_its_words() {
        start(Streams.create(ORDERS));
        assertThatThrownBy(() -> start(Streams.create(StreamSpec.of("COPY", "orders.placed"))))
                .hasMessageContaining("stream 'COPY'")
                .hasMessageContaining("subjects overlap with an existing stream");
        assertThatThrownBy(() -> start(Streams.update(ORDERS.storage(StreamSpec.Storage.MEMORY))))
                .hasMessageContaining("storage file instead of memory")
                .hasMessageContaining("can not change storage type");
        assertThatThrownBy(() ->
                        start(Streams.create(StreamSpec.of("THREE", "three").replicas(3))))
                .hasMessageContaining("replicas > 1 not supported");
    }

    @Test
    void a_duplicate_window_shorter_than_the_retry_horizon_is_a_warning_that_says_what_follows() {
        JetStreamConfig config = JetStreamConfig.of(Patiently.servers(server)).streams(Streams.create(ORDERS));
        assertThat(start(config.retryHorizon(Duration.ofHours(2))).warnings())
                .singleElement()
                .asString()
                .contains("'ORDERS'", "PT1H", "PT2H", "stored twice")
                .contains("StreamSpec.duplicateWindow of PT2H", "JetStreamConfig.retryHorizon");
        assertThat(start(config).warnings()).isEmpty(); // nothing is wrong with a stream of our own making
    }

    @Test
    void a_host_that_cannot_be_reached_is_no_error_at_the_start_and_each_event_is_down() {
        String nowhere = "nats://127.0.0.1:" + Ports.free();
        JetStreamDestination destination = start(JetStreamConfig.of(Servers.at(nowhere)));
        assertThat(why(dispatch(destination, letter("orders.placed"))))
                .startsWith("down: no NATS server can be reached at [" + nowhere + "]");
    }

    @Test
    void one_server_that_is_there_is_enough() {
        start(Streams.create(ORDERS));
        String nowhere = "nats://127.0.0.1:" + Ports.free();
        JetStreamDestination destination = start(JetStreamConfig.of(Servers.at(nowhere, server.url())));
        assertThat(why(dispatch(destination, letter("orders.placed")))).startsWith("Delivered");
    }

    @Test
    void an_address_that_is_none_is_refused_and_secrets_in_it_are_not_repeated() {
        assertThatThrownBy(() -> Servers.at("nats://ann:geheim@host:4222"))
                .hasMessageContaining("host")
                .message()
                .doesNotContain("geheim");
        assertThatThrownBy(() -> Servers.at("nats://a host:4222")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Servers.at("http://host:4222"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nats://, tls://, ws:// or wss://")
                .hasMessageContaining("'http://host:4222'");
        assertThat(Servers.at("host", "nats://host", "TLS://host:4222", "ws://host:80", "wss://host:443")
                        .urls())
                .hasSize(5);
        assertThatThrownBy(() -> Servers.at()).isInstanceOf(IllegalArgumentException.class);
    }
}
