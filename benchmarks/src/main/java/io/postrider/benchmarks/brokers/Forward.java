package io.postrider.benchmarks.brokers;

import io.postrider.StoredEvent;
import io.postrider.benchmarks.measure.BareSelect;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.wire.Encoding;
import io.postrider.wire.Message;
import java.util.Locale;
import java.util.Objects;

/**
 * What anybody needs who sends the rows of a log to a broker: one SELECT, and the bare client. Nothing is settled, no
 * order kept and no failure met, so that all the rest of a drain is seen beside it.
 */
final class Forward implements Contender {
    private static final Encoding ENCODING = Encoding.plain();

    private final String client;
    private final Place place;
    private final int events;
    private final BareSelect select;
    private final Opening opening;

    /** Connects to the broker for one round. */
    interface Opening {
        Sending open() throws Exception;
    }

    /** Sends with a bare client. */
    interface Sending extends AutoCloseable {
        void send(StoredEvent event, Message message);

        void await() throws Exception;
    }

    private Forward(String client, Database database, Place place, int events, Opening opening) {
        this.client = client;
        this.place = place;
        this.events = events;
        this.select = new BareSelect(database, BareSelect.LOG, events);
        this.opening = opening;
    }

    static Forward toJetStream(Database database, JetStreamPlace place, int events) {
        return new Forward("jnats publishAsync", database, place, events, () -> {
            BarePublish publish = new BarePublish(place);
            return new Sending() {
                @Override
                public void send(StoredEvent event, Message message) {
                    publish.publish(message.headers(), message.body());
                }

                @Override
                public void await() throws InterruptedException {
                    publish.await();
                }

                @Override
                public void close() throws InterruptedException {
                    publish.close();
                }
            };
        });
    }

    static Forward toKafka(Database database, KafkaPlace place, int events) {
        return new Forward("kafka-clients send", database, place, events, () -> {
            BareSend send = new BareSend(place);
            return new Sending() {
                @Override
                public void send(StoredEvent event, Message message) {
                    send.send(Objects.requireNonNull(event.key()), message.headers(), message.body());
                }

                @Override
                public void await() {
                    send.await();
                }

                @Override
                public void close() {
                    send.close();
                }
            };
        });
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "bare SELECT to bare %s, %,d events", client, events);
    }

    @Override
    public String how() {
        return "one thread, one SELECT in whatever order the table has; nothing is settled, and nothing would be sent"
                + " again; to " + place.what();
    }

    @Override
    public double round() throws Exception {
        place.renew();
        double rate;
        try (Sending sending = opening.open()) {
            long begin = System.nanoTime();
            select.read(event -> sending.send(event, ENCODING.encode(event)));
            sending.await();
            rate = events * 1e9 / (System.nanoTime() - begin);
        }
        place.requireStored(events);
        return rate;
    }
}
