package io.postrider.nats;

import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.postrider.tck.server.NatsServer;
import java.io.IOException;
import java.time.Duration;

/** Ways to a server that does answer: a busy machine may take longer for it than clients wait by default. */
final class Patiently {
    private static final Duration CONNECT = Duration.ofSeconds(30);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private Patiently() {}

    static Connection connect(NatsServer server) throws IOException, InterruptedException {
        return Nats.connect(Options.builder()
                .server(server.url())
                .connectionTimeout(CONNECT)
                .build());
    }

    static Servers servers(NatsServer server) {
        return Servers.at(server.url()).connectTimeout(ANSWER);
    }
}
