package io.postrider.chaos;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PushSubscribeOptions;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.StreamState;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** What JetStream itself says about the stream of a scenario. Used by one thread. */
final class StreamView implements AutoCloseable {
    private static final String ID = "Nats-Msg-Id";
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private final Connection connection;

    private StreamView(Connection connection) {
        this.connection = connection;
    }

    static StreamView of(String url) throws IOException, InterruptedException {
        return new StreamView(Nats.connect(Options.builder()
                .server(url)
                .noReconnect()
                .connectionName("harness")
                .errorListener(new ErrorListener() {}) // the library's own prints whatever it hears of
                .build()));
    }

    long lastSequence() throws IOException, JetStreamApiException {
        return state().getLastSequence();
    }

    long messages() throws IOException, JetStreamApiException {
        return state().getMsgCount();
    }

    private StreamState state() throws IOException, JetStreamApiException {
        return connection.jetStreamManagement().getStreamInfo(RelayNode.STREAM).getStreamState();
    }

    /** How many different events there are. Reads the headers of the whole stream. */
    int distinctEvents() throws IOException, JetStreamApiException, InterruptedException {
        long messages = messages();
        PushSubscribeOptions headers = PushSubscribeOptions.builder().stream(RelayNode.STREAM)
                .ordered(true)
                .configuration(ConsumerConfiguration.builder().headersOnly(true).build())
                .build();
        JetStreamSubscription all = connection.jetStream().subscribe(RelayNode.SUBJECTS, headers);
        Set<String> ids = new HashSet<>();
        for (long read = 0; read < messages; read++) {
            Message message = all.nextMessage(SILENCE);
            if (message == null) {
                throw new IOException("the stream has " + messages + " messages, and gave " + read);
            }
            ids.add(String.valueOf(message.getHeaders().getFirst(ID)));
        }
        return ids.size();
    }

    @Override
    public void close() throws InterruptedException {
        connection.close();
    }
}
