package io.postrider.benchmarks.brokers;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.impl.Headers;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.wire.Message;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The bare client's asynchronous publish with a bounded window. One thread publishes. */
final class BarePublish implements BareClient {
    private final Connection connection;
    private final JetStream jetStream;
    private final Semaphore window = new Semaphore(JetStreamPlace.WINDOW);
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

    BarePublish(JetStreamPlace place) throws IOException, InterruptedException {
        this.connection = Nats.connect(Options.builder().server(place.server()).build());
        this.jetStream = connection.jetStream();
    }

    @Override
    public void send(String key, Map<String, String> headers, byte[] body) {
        window.acquireUninterruptibly();
        Headers ofNats = new Headers();
        ofNats.put("Nats-Msg-Id", headers.get(Message.ID));
        for (Map.Entry<String, String> header : headers.entrySet()) {
            ofNats.put(header.getKey(), header.getValue());
        }
        var unused = jetStream.publishAsync(Payloads.TYPE, ofNats, body).whenComplete((acknowledged, failure) -> {
            if (failure != null) {
                failed.set(failure);
            }
            window.release();
        });
    }

    @Override
    public void await() throws InterruptedException {
        window.acquire(JetStreamPlace.WINDOW);
        if (failed.get() != null) {
            throw new IllegalStateException("a message was not acknowledged", failed.get());
        }
    }

    @Override
    public void close() throws InterruptedException {
        connection.close();
    }
}
