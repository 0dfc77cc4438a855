package io.postrider.benchmarks.brokers;

import io.nats.client.Connection;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.postrider.ReceiveOptions;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Fetches a stream with the bare client library and acknowledges it, with a new consumer each round. */
final class PullConsume implements Contender {
    private static final int BATCH = ReceiveOptions.DEFAULT.most();
    private static final int MAX_ACK_PENDING = 10_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final JetStreamPlace place;
    private final int messages;
    private final String name;
    private final Before before;
    private int rounds;

    /** What is done with a fetch before it is acknowledged. */
    interface Before {
        void acknowledging(List<Message> batch) throws Exception;
    }

    PullConsume(JetStreamPlace place, int messages) {
        this(place, messages, "bare", batch -> {});
    }

    PullConsume(JetStreamPlace place, int messages, String name, Before before) {
        this.place = place;
        this.messages = messages;
        this.name = name;
        this.before = before;
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "bare jnats %s fetch and ack, %,d messages", Nats.CLIENT_VERSION, messages);
    }

    @Override
    public String how() {
        return "a durable pull consumer, fetches of " + BATCH + ", each message acknowledged explicitly; nothing is"
                + " looked at, and nothing stored";
    }

    @Override
    public double round() throws Exception {
        String durable = name + "-" + rounds++;
        place.manage(management -> management.addOrUpdateConsumer(
                JetStreamPlace.STREAM,
                ConsumerConfiguration.builder()
                        .durable(durable)
                        .ackPolicy(AckPolicy.Explicit)
                        .maxAckPending(MAX_ACK_PENDING)
                        .build()));
        double rate;
        try (Connection connection = Nats.connect(place.server())) {
            rate = consume(connection, durable);
            Waiting.until("all messages are acknowledged", () -> place.isConsumed(durable));
        }
        place.forget(durable);
        return rate;
    }

    private double consume(Connection connection, String durable) throws Exception {
        JetStreamSubscription subscription =
                connection.jetStream().subscribe(null, PullSubscribeOptions.bind(JetStreamPlace.STREAM, durable));
        long begin = System.nanoTime();
        int consumed = 0;
        while (consumed < messages) {
            List<Message> batch = subscription.fetch(Math.min(BATCH, messages - consumed), PATIENCE);
            if (batch.isEmpty()) {
                throw new IllegalStateException("only " + consumed + " messages came");
            }
            before.acknowledging(batch);
            batch.forEach(Message::ack);
            consumed += batch.size();
        }
        connection.flush(PATIENCE);
        return messages * 1e9 / (System.nanoTime() - begin);
    }
}
