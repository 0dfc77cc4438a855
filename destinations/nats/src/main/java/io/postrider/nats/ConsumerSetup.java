package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.DeliverPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sees that a consumer is as it has to be. */
final class ConsumerSetup {
    private static final Logger log = LoggerFactory.getLogger(ConsumerSetup.class);

    private final JetStreamManagement management;
    private final JetStreamSourceConfig config;

    ConsumerSetup(JetStreamManagement management, JetStreamSourceConfig config) {
        this.management = management;
        this.config = config;
    }

    void ensure() throws IOException {
        try {
            ConsumerInfo found = find();
            if (found != null) {
                compare(found.getConsumerConfiguration());
                beginWithTheUnanswered(found);
            } else if (config.create()) {
                management.createConsumer(config.stream(), wanted().build());
            } else {
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

    /**
     * What was delivered and not answered would come again after {@code ackWait}, behind later messages of the same
     * key. So the consumer is made anew behind the last message below which everything was answered.
     */
    private void beginWithTheUnanswered(ConsumerInfo found) throws IOException, JetStreamApiException {
        if (!config.inOrder() || found.getNumAckPending() == 0) {
            return;
        }
        long from = found.getAckFloor().getStreamSequence() + 1;
        log.info(
                "consumer '{}' of stream '{}' has {} messages that were delivered and not acknowledged: it begins"
                        + " again at {}, so that none of them comes behind later ones",
                config.durable(),
                config.stream(),
                found.getNumAckPending(),
                from);
        management.deleteConsumer(config.stream(), config.durable());
        management.createConsumer(
                config.stream(),
                wanted().deliverPolicy(DeliverPolicy.ByStartSequence)
                        .startSequence(from)
                        .build());
    }

    private @Nullable ConsumerInfo find() throws IOException, JetStreamApiException {
        try {
            return management.getConsumerInfo(config.stream(), config.durable());
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == Refusal.NO_CONSUMER) {
                return null;
            }
            throw e;
        }
    }

    private ConsumerConfiguration.Builder wanted() {
        ConsumerConfiguration.Builder consumer = ConsumerConfiguration.builder()
                .durable(config.durable())
                .ackPolicy(AckPolicy.Explicit)
                .ackWait(config.ackWait())
                .maxAckPending(config.maxAckPending())
                .maxDeliver(config.maxDeliver());
        if (config.filter() != null) {
            consumer.filterSubject(config.filter());
        }
        return consumer;
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
