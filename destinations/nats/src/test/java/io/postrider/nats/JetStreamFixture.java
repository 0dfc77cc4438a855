package io.postrider.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamConfiguration;
import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.destination.Destination;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import io.postrider.tck.server.NatsServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A real server with one stream. */
final class JetStreamFixture implements DestinationFixture {
    private static final int MESSAGE_BYTES_MAX = 300_000;
    private static final String STREAM = "LETTERS";

    private final NatsServer server;
    private final List<JetStreamDestination> opened = new ArrayList<>();
    private final List<Arrived> arrived = new ArrayList<>();

    JetStreamFixture(Path folder) {
        server = NatsServer.in(folder).start();
        manage(management -> management.addStream(StreamConfiguration.builder()
                .name(STREAM)
                .subjects("letter.>")
                .maximumMessageSize(MESSAGE_BYTES_MAX)
                .build()));
    }

    @Override
    public Destination open() {
        JetStreamDestination destination = JetStreamDestination.start(
                JetStreamConfig.of(Servers.at(server.url()).name("jetstream"))
                        .streams(Streams.existing().routes(new Route("letter.>", STREAM)))
                        .batch(16)
                        .window(64)
                        .ackTimeout(Duration.ofSeconds(3)));
        opened.add(destination);
        return destination;
    }

    @Override
    public List<Arrived> arrived() {
        manage(management -> {
            long last = management.getStreamInfo(STREAM).getStreamState().getLastSequence();
            for (long sequence = arrived.size() + 1L; sequence <= last; sequence++) {
                arrived.add(read(management.getMessage(STREAM, sequence)));
            }
            return last;
        });
        return List.copyOf(arrived);
    }

    private static Arrived read(MessageInfo message) {
        Map<String, String> headers = NatsHeaders.decode(message.getHeaders());
        String id = message.getHeaders().getFirst("Nats-Msg-Id");
        String payload = message.getData() == null ? "" : new String(message.getData(), StandardCharsets.UTF_8);
        return new Arrived(
                Objects.requireNonNull(id),
                Objects.requireNonNull(headers.get("type")),
                headers.get("key"),
                payload,
                headers);
    }

    private void manage(Management task) {
        try (Connection connection = Patiently.connect(server)) {
            task.with(connection.jetStreamManagement());
        } catch (IOException | JetStreamApiException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Something to ask the server. */
    private interface Management {
        Object with(JetStreamManagement management) throws IOException, JetStreamApiException;
    }

    @Override
    public void stopServer() {
        server.process().kill();
    }

    @Override
    public void startServer() {
        server.start();
    }

    @Override
    public void pauseServer() {
        server.process().pauseProcess();
    }

    @Override
    public void resumeServer() {
        server.process().resumeProcess();
    }

    @Override
    public Event refused() {
        return Event.of(DestinationSuite.TYPE, Payload.json('"' + "x".repeat(MESSAGE_BYTES_MAX) + '"'))
                .key("large");
    }

    @Override
    public String refusal() {
        return "message size exceeds maximum allowed";
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of();
    }

    @Override
    public void close() {
        opened.forEach(JetStreamDestination::close);
        server.close();
    }
}
