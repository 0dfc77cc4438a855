package io.postrider.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.postrider.destination.Placed;
import io.postrider.destination.Source.Arrival;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.NatsServer;
import io.postrider.tck.server.Ports;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a source finds when it compares its consumer with the stream, and what follows for those who receive. */
final class ConsumerPlaceTest {
    private static final Duration WEEK = Duration.ofDays(7);

    @TempDir
    Path folder;

    private final Known known = new Known();
    private final int monitor = Ports.free();
    private NatsServer server;
    private Connection connection;
    private JetStreamManagement management;

    @BeforeEach
    void start() throws Exception {
        server = NatsServer.in(folder, "http: \"127.0.0.1:" + monitor + "\"").start();
        connection = Patiently.connect(server);
        management = connection.jetStreamManagement();
        management.addStream(stream().build());
    }

    @AfterEach
    void stop() throws Exception {
        connection.close();
        server.close();
    }

    private static StreamConfiguration.Builder stream() {
        return StreamConfiguration.builder().name("LETTERS").subjects("letter.>");
    }

    private JetStreamSourceConfig config() {
        return JetStreamSourceConfig.of(Patiently.servers(server), "LETTERS", "inbox")
                .create(true);
    }

    @Test
    void a_consumer_that_was_used_before_and_has_no_position_is_found() throws Exception {
        receiveOne();
        assertThat(compare().positionLost()).isNull();
        management.deleteConsumer("LETTERS", "inbox");
        new ConsumerSetup(management, config()).ensure();
        assertThat(compare().positionLost())
                .contains("'inbox'", "has no position", "comes again", "PT168H")
                .contains("older ones take effect again");
        assertThat(known.told).isEmpty();
    }

    @Test
    void a_consumer_that_was_never_used_has_lost_nothing() throws Exception {
        new ConsumerSetup(management, config()).ensure();
        connection.jetStream().publish("letter.sent", new byte[0]);
        assertThat(compare()).isEqualTo(new ConsumerPlace.Finding(0, false, null));
    }

    @Test
    void a_stream_that_was_made_anew_begins_an_era() throws Exception {
        receiveOne();
        management.deleteStream("LETTERS");
        management.addStream(stream().build());
        new ConsumerSetup(management, config()).ensure();
        assertThat(compare()).isEqualTo(new ConsumerPlace.Finding(1, true, null));
        assertThat(known.told).singleElement().asString().contains("ends with message 0, and message 1 was given out");
        assertThat(compare()).isEqualTo(new ConsumerPlace.Finding(1, false, null));
    }

    @Test
    void a_consumer_that_was_deleted_and_not_made_anew_is_made_by_the_next_source_although_it_creates_none()
            throws Exception {
        for (int i = 0; i < 3; i++) {
            receiveOne();
        }
        JetStreamSourceConfig given = config().create(false);
        known.newest = new Placed.Place(0, 3, known.newest.at().minusSeconds(1)); // another message lay there
        JetStreamManagement dying = diesAtCreate();
        assertThatThrownBy(() -> new ConsumerPlace(dying, given, known).compare())
                .hasMessageContaining("the process dies");
        assertThat(management.getConsumerNames("LETTERS")).doesNotContain("inbox");
        new ConsumerSetup(management, given).ensure();
        assertThat(management.getConsumerNames("LETTERS")).containsExactly("inbox");
        assertThat(management
                        .getConsumerInfo("LETTERS", "inbox")
                        .getConsumerConfiguration()
                        .getDeliverPolicy())
                .isEqualTo(DeliverPolicy.ByStartTime);
        assertThat(new ConsumerPlace(management, given, known).compare())
                .isEqualTo(new ConsumerPlace.Finding(1, true, null));
    }

    /** As a process that ends after it has deleted its consumer. */
    private JetStreamManagement diesAtCreate() {
        return (JetStreamManagement) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {JetStreamManagement.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("createConsumer")
                            && "inbox".equals(((ConsumerConfiguration) arguments[1]).getDurable())) {
                        throw new IOException("the process dies");
                    }
                    try {
                        return method.invoke(management, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void a_source_that_is_set_back_leaves_no_subscription_behind() throws Exception {
        receiveOne();
        try (JetStreamSource source = JetStreamSource.open(config())) {
            source.pull(1, Duration.ofMillis(10));
            long before = subscriptions();
            known.newest = new Placed.Place(0, 1, known.newest.at().minusSeconds(1)); // another message lay there
            source.remember(known);
            source.pull(1, Duration.ofMillis(10));
            assertThat(known.told).hasSize(1);
            new Eventually(Duration.ofSeconds(10))
                    .holds(() -> assertThat(subscriptions()).isEqualTo(before));
        }
    }

    /** Subscriptions of all clients, as the server counts them. */
    private long subscriptions() throws Exception {
        HttpRequest connections = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + monitor + "/connz"))
                .build();
        String answer = HttpClient.newHttpClient()
                .send(connections, HttpResponse.BodyHandlers.ofString())
                .body();
        return Pattern.compile("\"subscriptions\": *(\\d+)")
                .matcher(answer)
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    @Test
    void a_stream_that_keeps_messages_longer_than_they_are_remembered_is_objected_to() throws Exception {
        assertThat(objection(stream().maxAge(Duration.ofDays(30)), WEEK))
                .contains("'LETTERS' keeps messages for PT720H", "remembered for PT168H", "max_age", "receivedFor");
        assertThat(objection(stream().maxAge(WEEK), WEEK)).isNull();
        assertThat(objection(stream().retentionPolicy(RetentionPolicy.WorkQueue), Duration.ZERO))
                .isNull();
    }

    @Test
    void a_stream_without_an_age_limit_is_objected_to_once_it_has_messages_that_are_old_enough() throws Exception {
        connection.jetStream().publish("letter.sent", new byte[0]);
        StreamInfo stream = management.getStreamInfo("LETTERS");
        assertThat(Keeping.objection(stream, WEEK, Instant.now())).isNull();
        assertThat(Keeping.objection(stream, WEEK, Instant.now().plus(Duration.ofDays(8))))
                .contains("keeps messages for ever");
    }

    private @Nullable String objection(StreamConfiguration.Builder other, Duration remembered) throws Exception {
        management.deleteStream("LETTERS");
        return Keeping.objection(management.addStream(other.build()), remembered, Instant.now());
    }

    private ConsumerPlace.Finding compare() throws Exception {
        return new ConsumerPlace(management, config(), known).compare();
    }

    private void receiveOne() throws Exception {
        connection.jetStream().publish("letter.sent", new byte[0]);
        try (JetStreamSource source = JetStreamSource.open(config())) {
            List<Arrival> arrivals = source.pull(1, Duration.ofSeconds(10));
            known.newest = ((Placed.PlacedArrival) arrivals.get(0)).place();
            arrivals.get(0).ack();
        }
    }

    /** A receiver's memory of one place. */
    private static final class Known implements Placed.Memory {
        private final List<String> told = new ArrayList<>();
        private Placed.Place newest = new Placed.Place(0, 0, Instant.EPOCH);

        @Override
        public Optional<Placed.Place> newest() {
            return Optional.of(newest);
        }

        @Override
        public Duration keptFor() {
            return WEEK;
        }

        @Override
        public void wentBack(Placed.Place end, String why) {
            newest = end;
            told.add(why);
        }
    }
}
