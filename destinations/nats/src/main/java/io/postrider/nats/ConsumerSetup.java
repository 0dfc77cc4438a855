package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sees that a consumer is as it has to be. */
final class ConsumerSetup {
    private final JetStreamManagement management;
    private final JetStreamSourceConfig config;

    ConsumerSetup(JetStreamManagement management, JetStreamSourceConfig config) {
        this.management = management;
        this.config = config;
    }

    void ensure() throws IOException {
        try {
            ConsumerConfiguration found = find();
            if (found != null) {
                compare(found);
            } else if (config.create()) {
                management.createConsumer(config.stream(), wanted());
            } else if (!new NotedConsumer(management, config).make()) {
                throw new Misconfigured("stream '" + config.stream() + "' has no consumer '" + config.durable()
                        + "', and none is created: that takes create(true)");
            }
        } catch (JetStreamApiException e) {
            String sentence = "consumer '" + config.durable() + "' of stream '" + config.stream() + "' cannot be used: "
                    + Refusal.words(e);
            if (Refusal.isTemporary(e)) {
                throw new IOException(sentence, e);
            }
            throw new Misconfigured(sentence);
        }
    }

    private @Nullable ConsumerConfiguration find() throws IOException, JetStreamApiException {
        try {
            return management.getConsumerInfo(config.stream(), config.durable()).getConsumerConfiguration();
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == Refusal.NO_CONSUMER) {
                return null;
            }
            throw e;
        }
    }

    private ConsumerConfiguration wanted() {
        ConsumerConfiguration.Builder consumer = ConsumerConfiguration.builder()
                .durable(config.durable())
                .ackPolicy(AckPolicy.Explicit)
                .ackWait(config.ackWait())
                .maxAckPending(config.maxAckPending())
                .maxDeliver(config.maxDeliver());
        if (config.filter() != null) {
            consumer.filterSubject(config.filter());
        }
        return consumer.build();
    }

    private void compare(ConsumerConfiguration found) {
        List<String> differences = new ArrayList<>();
        compare(differences, "acknowledgement", AckPolicy.Explicit, found.getAckPolicy());
        compare(differences, "a subject it is pushed to:", null, found.getDeliverSubject());
        compare(differences, "filter", config.filter(), found.getFilterSubject());
        compare(differences, "ackWait", config.ackWait(), found.getAckWait());
        compare(differences, "maxAckPending", (long) config.maxAckPending(), found.getMaxAckPending());
        compare(differences, "maxDeliver", (long) config.maxDeliver(), found.getMaxDeliver());
        if (!differences.isEmpty()) {
            throw new Misconfigured("consumer '" + config.durable() + "' of stream '" + config.stream()
                    + "' is not as it has to be: " + String.join("; ", differences));
        }
    }

    private static void compare(
            List<String> differences, String what, @Nullable Object wanted, @Nullable Object found) {
        if (!Objects.equals(wanted, found)) {
            differences.add(what + " " + found + " instead of " + wanted);
        }
    }
}
