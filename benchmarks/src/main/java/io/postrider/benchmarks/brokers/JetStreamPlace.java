package io.postrider.benchmarks.brokers;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.postrider.nats.JetStreamConfig;
import io.postrider.nats.JetStreamDestination;
import io.postrider.nats.Servers;
import io.postrider.nats.StreamSpec;

/** A stream of one replica in files. */
final class JetStreamPlace implements Place {
    static final String STREAM = "PAYOUTS";
    static final int WINDOW = 1_000;
    private static final String SUBJECTS = "payout.>";

    private final String server;

    JetStreamPlace(String server) {
        this.server = server;
    }

    String server() {
        return server;
    }

    @Override
    public String what() {
        return "a stream with one replica in files, " + WINDOW + " messages under way at most";
    }

    @Override
    public void renew() throws Exception {
        manage(management -> {
            if (management.getStreamNames().contains(STREAM)) {
                management.deleteStream(STREAM);
            }
            return management.addStream(StreamConfiguration.builder()
                    .name(STREAM)
                    .subjects(SUBJECTS)
                    .storageType(StorageType.File)
                    .replicas(1)
                    .duplicateWindow(StreamSpec.DUPLICATE_WINDOW)
                    .build());
        });
    }

    @Override
    public double reach(Reaching work) throws Exception {
        JetStreamConfig config = JetStreamConfig.of(Servers.at(server)).window(WINDOW);
        try (JetStreamDestination destination = JetStreamDestination.start(config)) {
            return work.to(destination);
        }
    }

    @Override
    public BareClient.Kind client() {
        return new BareClient.Kind(
                "jnats " + Nats.CLIENT_VERSION + " publishAsync", "one thread", () -> new BarePublish(this));
    }

    @Override
    public long stored() throws Exception {
        return manage(
                management -> management.getStreamInfo(STREAM).getStreamState().getMsgCount());
    }

    /** Whether this consumer has acknowledged all there is. */
    boolean isConsumed(String durable) throws Exception {
        ConsumerInfo info = manage(management -> management.getConsumerInfo(STREAM, durable));
        return info.getNumPending() == 0 && info.getNumAckPending() == 0;
    }

    void forget(String durable) throws Exception {
        manage(management -> management.deleteConsumer(STREAM, durable));
    }

    /** Asks a server about its streams. */
    interface Question<R> {
        R ask(JetStreamManagement management) throws Exception;
    }

    <R> R manage(Question<R> question) throws Exception {
        try (Connection connection = Nats.connect(server)) {
            return question.ask(connection.jetStreamManagement());
        }
    }
}
