package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.ConsumerConfiguration;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a consumer by one that begins elsewhere. The server cannot do that in one step: a source that dies after the
 * delete leaves no consumer. So a source that may not create one of its own accord first makes a second consumer, which
 * nobody pulls from, as a note of the one to be made; whoever finds the note and no consumer makes it.
 *
 * <p>A note that is left behind is removed by the server, because nobody uses it.
 */
final class NotedConsumer {
    private static final Logger log = LoggerFactory.getLogger(NotedConsumer.class);

    private static final String SUFFIX = "_anew";
    private static final Duration NOTED_FOR = Duration.ofDays(7);

    private final JetStreamManagement management;
    private final JetStreamSourceConfig config;

    NotedConsumer(JetStreamManagement management, JetStreamSourceConfig config) {
        this.management = management;
        this.config = config;
    }

    private String note() {
        return config.durable() + SUFFIX;
    }

    void replace(ConsumerConfiguration wanted) throws IOException, JetStreamApiException {
        if (!config.create()) {
            forget();
            management.createConsumer(config.stream(), named(note(), wanted, NOTED_FOR));
        }
        management.deleteConsumer(config.stream(), config.durable());
        management.createConsumer(config.stream(), wanted);
        if (!config.create()) {
            forget();
        }
    }

    /** Makes the consumer that is noted; false if none is. */
    boolean make() throws IOException, JetStreamApiException {
        ConsumerConfiguration noted = find();
        if (noted == null) {
            return false;
        }
        management.createConsumer(config.stream(), named(config.durable(), noted, Duration.ZERO));
        forget();
        log.warn(
                "Consumer '{}' of stream '{}' was deleted to be made anew, and its source ended in between; it is made"
                        + " now as was noted",
                config.durable(),
                config.stream());
        return true;
    }

    private static ConsumerConfiguration named(String name, ConsumerConfiguration like, Duration unusedFor) {
        return ConsumerConfiguration.builder(like)
                .name(name)
                .durable(name)
                .inactiveThreshold(unusedFor)
                .build();
    }

    private @Nullable ConsumerConfiguration find() throws IOException, JetStreamApiException {
        try {
            return management.getConsumerInfo(config.stream(), note()).getConsumerConfiguration();
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == Refusal.NO_CONSUMER) {
                return null;
            }
            throw e;
        }
    }

    private void forget() throws IOException, JetStreamApiException {
        if (find() != null) {
            management.deleteConsumer(config.stream(), note());
        }
    }
}
