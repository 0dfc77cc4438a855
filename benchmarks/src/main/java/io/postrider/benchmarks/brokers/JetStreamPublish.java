package io.postrider.benchmarks.brokers;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.impl.Headers;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Payloads;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Publishes with the bare client library what a destination would, from memory. */
public final class JetStreamPublish implements Contender {
    private final JetStreamPlace place;
    private final int messages;
    private final RawMessages made = RawMessages.make();

    JetStreamPublish(JetStreamPlace place, int messages) {
        this.place = place;
        this.messages = messages;
    }

    /** Publishes so many to a new stream of this server. */
    public static void fill(String server, int messages) throws Exception {
        new JetStreamPublish(new JetStreamPlace(server), messages).round();
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "bare jnats %s publishAsync, %,d messages", Nats.CLIENT_VERSION, messages);
    }

    @Override
    public String how() {
        return "made payloads and as many headers, from memory, one thread, no order by key; until the last is"
                + " acknowledged; to " + place.what();
    }

    @Override
    public double round() throws Exception {
        place.renew();
        double rate;
        try (Connection connection =
                Nats.connect(Options.builder().server(place.server()).build())) {
            rate = publish(connection.jetStream());
        }
        place.requireStored(messages);
        return rate;
    }

    private double publish(JetStream jetStream) throws InterruptedException {
        Semaphore window = new Semaphore(JetStreamPlace.WINDOW);
        AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
        long begin = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            window.acquire();
            var unused = jetStream
                    .publishAsync(Payloads.TYPE, headers(i), made.body(i))
                    .whenComplete((acknowledged, failure) -> {
                        if (failure != null) {
                            failed.set(failure);
                        }
                        window.release();
                    });
        }
        window.acquire(JetStreamPlace.WINDOW);
        double rate = messages * 1e9 / (System.nanoTime() - begin);
        if (failed.get() != null) {
            throw new IllegalStateException("a message was not acknowledged", failed.get());
        }
        return rate;
    }

    private Headers headers(int number) {
        Headers headers = new Headers();
        headers.put("Nats-Msg-Id", made.id(number));
        for (Map.Entry<String, String> header : made.headers(number).entrySet()) {
            headers.put(header.getKey(), header.getValue());
        }
        return headers;
    }
}
