package io.postrider.benchmarks.brokers;

import io.nats.client.Nats;
import io.postrider.benchmarks.measure.Contender;
import java.util.Locale;

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
        try (BarePublish publish = new BarePublish(place)) {
            long begin = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                publish.publish(made.headers(i), made.body(i));
            }
            publish.await();
            rate = messages * 1e9 / (System.nanoTime() - begin);
        }
        place.requireStored(messages);
        return rate;
    }
}
