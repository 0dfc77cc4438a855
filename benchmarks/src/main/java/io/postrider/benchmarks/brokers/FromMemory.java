package io.postrider.benchmarks.brokers;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Payloads;
import java.util.Locale;

/** Sends with a bare client what a destination would, from memory. */
public final class FromMemory implements Contender {
    private final Place place;
    private final int messages;
    private final RawMessages made = RawMessages.make();

    FromMemory(Place place, int messages) {
        this.place = place;
        this.messages = messages;
    }

    /** Publishes so many to a new stream of this NATS server. */
    public static void fill(String server, int messages) throws Exception {
        new FromMemory(new JetStreamPlace(server), messages).round();
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT, "bare %s, %,d messages", place.client().name(), messages);
    }

    @Override
    public String how() {
        return "made payloads and as many headers, from memory; "
                + place.client().how() + "; until the last is acknowledged; to " + place.what();
    }

    @Override
    public double round() throws Exception {
        return place.send(messages, client -> {
            for (int i = 0; i < messages; i++) {
                client.send(Payloads.key(i), made.headers(i), made.body(i));
            }
        });
    }
}
