package io.postrider.kafka;

import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.wire.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events to Kafka topics: acknowledged by all replicas in sync, in order per key, the key as the record's key.
 *
 * <p>The producer's own retries keep the order, because it numbers what it sends. An event that it cannot get
 * acknowledged in time is dispatched again by the engine and may then be in its topic twice, with the same {@code id}.
 *
 * <p>A send can block, until the broker says where a topic is or until there is memory; so all sends are made by one
 * thread of the destination's own, and never by the engine's. Thread-safe.
 */
public final class KafkaDestination implements Destination, AutoCloseable {
    private static final String CLOSED = "the destination is closed";
    private static final Logger log = LoggerFactory.getLogger(KafkaDestination.class);

    private final KafkaConfig config;
    private final Profile profile;
    private final Cluster cluster;
    private final ExecutorService sender;
    private final Supplier<Producer<byte[], byte[]>> producers;
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private volatile boolean broken = true; // there is none yet
    private volatile boolean verified;
    private volatile @Nullable String down;

    private KafkaDestination(KafkaConfig config, Supplier<Producer<byte[], byte[]>> producers) {
        KafkaLimits limits = config.limits();
        this.config = config;
        this.profile = new Profile(config.name(), limits.batch(), limits.window(), limits.patience());
        this.cluster = new Cluster(config);
        this.producers = producers;
        this.sender = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "postrider-kafka-" + config.name());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * A destination whose topics have been verified. If no broker answers, or no host is known, it is opened all the
     * same, is down, and verifies them as soon as one does.
     *
     * @throws IllegalArgumentException if a topic does not exist, or Kafka refuses a setting
     * @throws IllegalStateException if the broker refuses us, in its words
     */
    public static KafkaDestination open(KafkaConfig config) {
        return open(config, () -> newProducer(config));
    }

    static KafkaDestination open(KafkaConfig config, Supplier<Producer<byte[], byte[]>> producers) {
        KafkaDestination destination = new KafkaDestination(config, producers);
        try {
            String unknown = Settings.unknown(config.servers());
            if (unknown == null) {
                destination.connect();
                destination.verify();
            } else {
                destination.beginDown(unknown);
            }
            return destination;
        } catch (RuntimeException e) {
            destination.close();
            throw e;
        }
    }

    private void connect() {
        try {
            cluster.connect();
            mend();
        } catch (KafkaException e) {
            throw new IllegalArgumentException(
                    "Kafka refuses the settings of the destination '" + config.name() + "' with the servers "
                            + config.servers() + ": " + Failure.words(e),
                    e);
        }
    }

    private static Producer<byte[], byte[]> newProducer(KafkaConfig config) {
        return new KafkaProducer<>(Settings.producer(config), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void verify() {
        try {
            cluster.verifyTopics().toCompletableFuture().join();
            verified = true;
        } catch (CompletionException e) {
            Throwable cause = Cluster.cause(e);
            if (cause instanceof IllegalArgumentException missing) {
                throw missing;
            }
            if (!(cause instanceof RetriableException)) {
                throw new IllegalStateException(
                        "Kafka at " + config.servers() + " refuses the destination '" + config.name() + "': "
                                + Failure.words(cause),
                        cause);
            }
            beginDown(Failure.words(cause));
        }
    }

    private void beginDown(String why) {
        down = why;
        log.info("Kafka destination {} starts down; events wait until it answers: {}", config.name(), why);
    }

    @Override
    public String kind() {
        return profile.name().equalsIgnoreCase("kafka") ? "Kafka" : "Kafka " + profile.name();
    }

    @Override
    public Profile profile() {
        return profile;
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        Flight flight = new Flight(dispatches.size());
        bySender(() -> sendAll(dispatches, flight)).exceptionally(failure -> {
            flight.landRest(Outcome.down(Failure.words(Cluster.cause(failure))));
            return null;
        });
        return flight.outcomes();
    }

    private void sendAll(List<Dispatch> dispatches, Flight flight) {
        for (int i = 0; i < dispatches.size(); i++) {
            int index = i;
            send(dispatches.get(i).event(), outcome -> flight.land(index, outcome));
        }
    }

    private void send(StoredEvent event, Consumer<Outcome> answer) {
        String topic = config.topics().topicOf(event.type());
        String why = down;
        if (topic == null) {
            answer.accept(Outcome.dead("no rule has a topic for the type '" + event.type() + "': " + config.topics()));
        } else if (why != null) {
            answer.accept(Outcome.down(why));
        } else if (cluster.misses(topic)) {
            answer.accept(Outcome.dead(cluster.saysMissing(topic)));
        } else if (cluster.inDoubt(topic)) {
            answerOnce(topic, "nobody answers for the topic '" + topic + "'", answer);
        } else {
            encode(topic, event, answer);
        }
    }

    private void encode(String topic, StoredEvent event, Consumer<Outcome> answer) {
        ProducerRecord<byte[], byte[]> record;
        try {
            record = record(topic, event);
        } catch (RuntimeException e) {
            answer.accept(Outcome.dead("no message can be made of it: " + e));
            return;
        }
        send(record, answer, true);
    }

    /** Its time is the broker's or the producer's, as a topic drops records by it: an old event is a new record. */
    private ProducerRecord<byte[], byte[]> record(String topic, StoredEvent event) {
        Message message = config.encoding().encode(event);
        String key = event.key();
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                topic, null, key == null ? null : key.getBytes(StandardCharsets.UTF_8), message.body());
        message.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        return record;
    }

    private void send(ProducerRecord<byte[], byte[]> record, Consumer<Outcome> answer, boolean mayGoAgain) {
        try {
            var unused = producer().send(record, (metadata, failure) -> {
                if (failure == null) {
                    answer.accept(Outcome.DELIVERED);
                } else {
                    failed(record, failure, answer, mayGoAgain);
                }
            });
        } catch (RuntimeException e) {
            failed(record, e, answer, mayGoAgain);
        }
    }

    private Producer<byte[], byte[]> producer() {
        Producer<byte[], byte[]> present = producer;
        if (present == null) {
            throw new IllegalStateException("there is no producer yet");
        }
        return present;
    }

    private void failed(
            ProducerRecord<byte[], byte[]> record, Exception failure, Consumer<Outcome> answer, boolean mayGoAgain) {
        String words = Failure.words(failure);
        switch (Failure.of(failure)) {
            case REFUSED -> answer.accept(Outcome.dead(words));
            case DOWN -> answer.accept(goesDown(words));
            case TOPIC_IN_DOUBT -> answerOnce(record.topic(), words, answer);
            case BROKEN_PRODUCER -> {
                broken = true;
                answer.accept(goesDown(words));
            }
            case BATCH_NEIGHBOUR_REFUSED -> {
                if (mayGoAgain) {
                    bySender(() -> sendAgain(record, answer)).exceptionally(closed -> {
                        answer.accept(Outcome.down(words));
                        return null;
                    });
                } else {
                    answer.accept(Outcome.retry(words));
                }
            }
            case UNKNOWN -> answer.accept(Outcome.retry(words));
        }
    }

    private void sendAgain(ProducerRecord<byte[], byte[]> record, Consumer<Outcome> answer) {
        String why = down;
        if (why != null) {
            answer.accept(Outcome.down(why));
        } else {
            send(
                    new ProducerRecord<>(record.topic(), null, null, record.key(), record.value(), record.headers()),
                    answer,
                    false);
        }
    }

    /** Dead if the cluster says that it does not have the topic; down if it has, or says nothing. */
    private void answerOnce(String topic, String words, Consumer<Outcome> answer) {
        String why = down;
        if (why != null) {
            answer.accept(Outcome.down(why));
            return;
        }
        // Not on the thread that times all futures of this process: the engine goes on from here.
        cluster.has(topic).whenCompleteAsync((found, failure) -> {
            if (failure != null) {
                answer.accept(goesDown(cluster.saysSilent(words)));
            } else {
                answer.accept(found ? goesDown(words) : Outcome.dead(cluster.saysMissing(topic)));
            }
        });
    }

    private Outcome goesDown(String why) {
        if (down == null) {
            down = why;
        }
        return Outcome.down(why);
    }

    /** The producer asks for the topics as well: otherwise the next send would wait for their metadata. */
    @Override
    public CompletionStage<Void> probe() {
        return bySender(this::mend)
                .thenCompose(mended -> verified ? cluster.lookForTopics() : cluster.verifyTopics())
                .thenCompose(looked -> bySender(this::meetTopics))
                .thenRun(() -> {
                    verified = true;
                    down = null;
                });
    }

    private CompletionStage<Void> bySender(Runnable work) {
        try {
            return CompletableFuture.runAsync(work, sender);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new IllegalStateException(CLOSED, e));
        }
    }

    private void mend() {
        if (!broken) {
            return;
        }
        String unknown = Settings.unknown(config.servers());
        if (unknown != null) {
            throw new IllegalStateException(unknown); // Kafka itself would not say whom it does not know
        }
        Producer<byte[], byte[]> old = producer;
        if (old != null) {
            log.info("Kafka destination {} makes a new producer, because the last one failed: {}", config.name(), down);
        }
        producer = producers.get();
        broken = false;
        if (old != null) {
            old.close(Duration.ZERO);
        }
    }

    private void meetTopics() {
        config.topics().topics().stream()
                .filter(topic -> !cluster.misses(topic))
                .forEach(topic -> producer().partitionsFor(topic));
    }

    /** Events under way have {@link KafkaLimits#answerWithin} to be acknowledged; the rest is down. */
    @Override
    public void close() {
        Duration wait = config.limits().answerWithin();
        down = CLOSED;
        sender.shutdown();
        try {
            if (!sender.awaitTermination(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                sender.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Producer<byte[], byte[]> last = producer;
        if (last != null) {
            last.close(wait);
        }
        cluster.close();
    }
}
