package io.postrider.nats;

import static io.postrider.nats.Letters.answer;
import static io.postrider.nats.Letters.dispatch;
import static io.postrider.nats.Letters.letter;
import static io.postrider.nats.Letters.why;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import io.postrider.tck.server.NatsServer;
import io.postrider.wire.Percent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics go to the streams that rules say; what goes nowhere is dead with the reason, not after a time-out. */
final class RoutesTest {
    @TempDir
    static Path folder;

    private static NatsServer server;
    private final List<JetStreamDestination> started = new ArrayList<>();

    @BeforeAll
    static void startServer() {
        server = NatsServer.in(folder, "max_payload: 100KB").start();
        start(Streams.create(
                        StreamSpec.of("ORDERS", "orders.>"),
                        StreamSpec.of("BILLS", "bills.*", "reminders.*"),
                        StreamSpec.of("UMLAUTS", "gr\u00fc\u00dfe.>")))
                .close();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void closeAll() {
        started.forEach(JetStreamDestination::close);
    }

    private static JetStreamConfig config() {
        return JetStreamConfig.of(Patiently.servers(server));
    }

    private static JetStreamDestination start(Streams streams) {
        return JetStreamDestination.start(config().streams(streams));
    }

    private JetStreamDestination open(JetStreamConfig config) {
        JetStreamDestination destination = JetStreamDestination.start(config);
        started.add(destination);
        return destination;
    }

    private static String streamOf(Outcome outcome) {
        assertThat(why(outcome)).startsWith("Delivered");
        Receipt receipt = ((Outcome.Delivered) outcome).receipt();
        return Objects.requireNonNull(receipt).stream();
    }

    @Test
    void without_rules_an_event_goes_to_the_stream_that_takes_its_type() {
        JetStreamDestination destination = open(config());
        assertThat(streamOf(dispatch(destination, letter("orders.placed")))).isEqualTo("ORDERS");
        assertThat(streamOf(dispatch(destination, letter("bills.sent")))).isEqualTo("BILLS");
    }

    @Test
    void the_first_rule_that_matches_counts() {
        Streams streams = Streams.existing()
                .routes(
                        new Route("reminders.first", "ORDERS"),
                        new Route("reminders.*", "BILLS"),
                        new Route("orders.>", "ORDERS"));
        assertThatThrownBy(() -> open(config().streams(streams)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("route reminders.first → ORDERS")
                .hasMessageContaining("nothing of 'reminders.first'");
        JetStreamDestination destination = open(config().streams(
                        Streams.existing().routes(new Route("reminders.*", "BILLS"), new Route("*.placed", "ORDERS"))));
        assertThat(streamOf(dispatch(destination, letter("reminders.sent")))).isEqualTo("BILLS");
        assertThat(streamOf(dispatch(destination, letter("orders.placed")))).isEqualTo("ORDERS");
        assertThat(why(dispatch(destination, letter("orders.sent"))))
                .startsWith("dead: no route takes the topic 'orders.sent'")
                .contains("*.placed → ORDERS");
    }

    @Test
    void an_event_that_another_stream_takes_than_its_rule_says_is_dead_with_the_words_of_the_server() {
        JetStreamDestination destination =
                open(config().streams(Streams.existing().routes(new Route(">", "ORDERS"))));
        assertThat(destination.warnings())
                .anySatisfy(warning ->
                        assertThat(warning).contains("route > → ORDERS").contains("may not be all"));
        assertThat(why(dispatch(destination, letter("bills.sent"))))
                .startsWith("dead: JetStream says: expected stream does not match");
    }

    @Test
    void an_event_that_no_stream_takes_is_dead_at_once_with_its_subject_and_rule() {
        JetStreamDestination any = open(config().ackTimeout(Duration.ofMinutes(1)));
        assertThat(why(dispatch(any, letter("nobody.cares"))))
                .isEqualTo("dead: no stream takes the subject 'nobody.cares'");
        JetStreamDestination ruled = open(config().streams(Streams.existing().routes(new Route(">", "ORDERS"))));
        assertThat(why(dispatch(ruled, letter("nobody.cares"))))
                .isEqualTo("dead: no stream takes the subject 'nobody.cares' of route > → ORDERS");
    }

    @Test
    void a_stream_that_was_made_after_the_start_takes_events() {
        JetStreamDestination destination = open(config());
        open(config().streams(Streams.create(StreamSpec.of("LATER", "later.>"))));
        assertThat(streamOf(dispatch(destination, letter("later.on")))).isEqualTo("LATER");
    }

    @Test
    void a_prefix_and_a_function_make_the_subject() {
        JetStreamDestination destination = open(config().topics(Topics.byType()
                        .prefix("orders.")
                        .topic(event -> event.type() + "."
                                + event.headers().get("region").orElse("none")))
                .streams(Streams.existing().routes(new Route("*.eu", "ORDERS"))));
        StoredEvent event = letter("placed", "{}", Headers.NONE.with("region", "eu"));
        assertThat(streamOf(dispatch(destination, event))).isEqualTo("ORDERS");
    }

    @Test
    void an_illegal_subject_is_dead_with_the_subject_and_the_reason() {
        JetStreamDestination destination = open(config().topics(Topics.byType()
                .topic(event -> event.headers().get("subject").orElse(event.type()))));
        assertThat(why(dispatch(destination, to("orders placed"))))
                .contains("'orders placed'")
                .contains("space or control character at 6");
        assertThat(why(dispatch(destination, to("orders\tplaced")))).contains("control character");
        assertThat(why(dispatch(destination, to("orders..placed")))).contains("empty token");
        assertThat(why(dispatch(destination, to(".orders")))).contains("empty token");
        assertThat(why(dispatch(destination, to("orders.*")))).contains("wildcard '*'");
        assertThat(why(dispatch(destination, to("orders.>")))).contains("wildcard '>'");
        assertThat(why(dispatch(destination, to("gr\u00fc\u00dfe.an")))).contains("outside ASCII at 2");
        assertThat(streamOf(dispatch(destination, letter("orders.placed")))).isEqualTo("ORDERS");
    }

    private static StoredEvent to(String subject) {
        return letter("orders.placed", "{}", Headers.NONE.with("subject", subject));
    }

    @Test
    void subjects_outside_ascii_go_where_the_config_allows_them() {
        JetStreamDestination destination = open(config().topics(Topics.byType().unicode(true)));
        assertThat(streamOf(dispatch(destination, letter("gr\u00fc\u00dfe.an.\u624b\u7d19"))))
                .isEqualTo("UMLAUTS");
    }

    @Test
    void a_payload_over_the_limit_of_the_server_is_dead_with_the_limit() {
        JetStreamDestination destination = open(config());
        StoredEvent large = letter("orders.placed", "x".repeat(102_400), Headers.NONE);
        assertThat(why(dispatch(destination, large))).startsWith("dead: ").contains("102400 at most (max_payload)");
        assertThat(streamOf(dispatch(destination, letter("orders.placed")))).isEqualTo("ORDERS");
    }

    @Test
    void headers_that_the_server_acts_upon_are_carried_and_not_acted_upon() {
        JetStreamDestination destination = open(config());
        StoredEvent event = letter(
                "orders.placed",
                "{}",
                Headers.NONE.with("Nats-Expected-Stream", "BILLS").with("nats-rollup", "all"));
        assertThat(streamOf(dispatch(destination, event))).isEqualTo("ORDERS");
        assertThat(Percent.decode(NatsHeaders.name("Nats-Rollup"))).isEqualTo("Nats-Rollup");
    }

    @Test
    void a_probe_while_it_is_up_looks_at_the_streams_again() {
        JetStreamDestination destination = open(config());
        answer(destination.probe());
        assertThat(streamOf(dispatch(destination, letter("orders.placed")))).isEqualTo("ORDERS");
    }

    @Test
    void a_route_or_prefix_that_makes_no_subject_is_refused_with_the_value() {
        assertThatThrownBy(() -> new Route("a..b", "ORDERS")).hasMessageContaining("'a..b'");
        assertThatThrownBy(() -> new Route("a.>.b", "ORDERS")).hasMessageContaining("'a.>.b'");
        assertThatThrownBy(() -> new Route("orders.**", "ORDERS")).hasMessageContaining("'**' is no wildcard of NATS");
        assertThatThrownBy(() -> StreamSpec.of("ORDERS", "orders.**"))
                .hasMessageContaining("'orders.**': '**' is no wildcard of NATS")
                .hasMessageContaining("'>' for the rest");
        assertThatThrownBy(() -> new Route("a", "my.stream")).hasMessageContaining("'my.stream'");
        assertThatThrownBy(() -> Topics.byType().prefix("a b.")).hasMessageContaining("'a b.'");
    }
}
