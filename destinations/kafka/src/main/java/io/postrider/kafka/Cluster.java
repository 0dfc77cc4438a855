package io.postrider.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * What a destination asks of the cluster beside sending: whether it is there, and which topics it has. Nothing here
 * blocks. Thread-safe.
 *
 * <p>Kafka's client asks only the brokers it has heard of last. Where none of them answers for long they may all have
 * moved, so a new one is made, which begins with the servers of the config.
 */
final class Cluster implements AutoCloseable {
    private static final Duration LOOK_AGAIN_AFTER = Duration.ofSeconds(1);

    private final KafkaConfig config;
    private final AtomicReference<@Nullable Long> silentSince = new AtomicReference<>();
    private final Map<String, CompletableFuture<Boolean>> asked = new ConcurrentHashMap<>();
    private final Map<String, Long> missing = new ConcurrentHashMap<>();
    private @Nullable Admin admin;
    private boolean closed;

    Cluster(KafkaConfig config) {
        this.config = config;
    }

    /**
     * Connects in the background.
     *
     * @throws KafkaException if no client can be made of the settings
     */
    void connect() {
        admin();
    }

    private Admin admin() {
        Admin silent = null;
        try {
            synchronized (this) {
                if (closed) {
                    throw new IllegalStateException("the destination is closed");
                }
                if (isSilentForLong()) {
                    silent = admin;
                    admin = null;
                    silentSince.set(null);
                }
                if (admin == null) {
                    admin = Admin.create(Settings.admin(config));
                }
                return admin;
            }
        } finally {
            if (silent != null) {
                silent.close(Duration.ZERO); // waits for its thread, which may be here: so without the lock
            }
        }
    }

    private boolean isSilentForLong() {
        Long since = silentSince.get();
        return since != null
                && System.nanoTime() - since > config.limits().newClientAfter().toNanos();
    }

    /** Looks which topics there are, and fails if nobody answers. */
    CompletionStage<Void> lookForTopics() {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (String topic : config.topics().topics()) {
            all = all.thenCombine(look(topic), (before, found) -> null);
        }
        return all;
    }

    /** Fails also if a rule leads to a topic that does not exist, unless it could be made. */
    CompletionStage<Void> verifyTopics() {
        return lookForTopics().thenCompose(looked -> {
            List<String> absent = absent();
            if (absent.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            TopicRules.NewTopics wanted = config.topics().newTopics();
            return wanted == null ? lookOnceMore() : make(absent, wanted);
        });
    }

    /** A topic made a moment ago is not known to every broker yet. */
    private CompletionStage<Void> lookOnceMore() {
        Executor later = CompletableFuture.delayedExecutor(LOOK_AGAIN_AFTER.toMillis(), TimeUnit.MILLISECONDS);
        return CompletableFuture.runAsync(() -> {}, later)
                .thenCompose(waited -> lookForTopics())
                .thenCompose(looked -> {
                    List<String> absent = absent();
                    return absent.isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : CompletableFuture.failedFuture(new IllegalArgumentException(saysMissing(absent.get(0))));
                });
    }

    private List<String> absent() {
        return config.topics().topics().stream().filter(missing::containsKey).toList();
    }

    private CompletionStage<Void> make(List<String> absent, TopicRules.NewTopics wanted) {
        List<NewTopic> topics = absent.stream()
                .map(topic -> new NewTopic(topic, wanted.partitions(), wanted.replication()))
                .toList();
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (KafkaFuture<Void> made : admin().createTopics(topics).values().values()) {
            all = all.thenCombine(made.toCompletionStage().exceptionally(Cluster::unlessItExists), (one, two) -> null);
        }
        return all.thenRun(() -> absent.forEach(missing::remove));
    }

    /** Another node may have been quicker. */
    private static Void unlessItExists(Throwable failure) {
        if (cause(failure) instanceof TopicExistsException) {
            return nothing();
        }
        throw new CompletionException(cause(failure));
    }

    @SuppressWarnings("NullAway") // the only value of Void
    private static Void nothing() {
        return null;
    }

    /** Whether the cluster has this topic. Who asks while another's question is open gets the same answer. */
    CompletionStage<Boolean> has(String topic) {
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> others = asked.putIfAbsent(topic, mine);
        if (others != null) {
            return others;
        }
        look(topic).whenComplete((found, failure) -> {
            if (failure != null) {
                mine.completeExceptionally(failure);
            } else {
                mine.complete(found);
            }
        });
        // Kafka's own futures cannot be given a time-out: they complete for Kafka only.
        long wait = config.limits().doubtAtMost().toMillis();
        mine.orTimeout(wait, TimeUnit.MILLISECONDS).whenComplete((found, failure) -> asked.remove(topic, mine));
        return mine;
    }

    /** Whether someone waits to hear if this topic exists. */
    boolean inDoubt(String topic) {
        return asked.containsKey(topic);
    }

    /** Whether this topic did not exist when it was last looked for; looks again now and then. */
    boolean misses(String topic) {
        Long looked = missing.get(topic);
        if (looked == null) {
            return false;
        }
        if (System.nanoTime() - looked > LOOK_AGAIN_AFTER.toNanos()
                && missing.replace(topic, looked, System.nanoTime())) {
            look(topic);
        }
        return true;
    }

    private CompletionStage<Boolean> look(String topic) {
        try {
            return admin().describeTopics(List.of(topic))
                    .allTopicNames()
                    .toCompletionStage()
                    .handle((found, failure) -> answer(topic, failure));
        } catch (KafkaException e) {
            return CompletableFuture.failedFuture(new IllegalStateException(saysSilent(Failure.words(e)), e));
        } catch (IllegalStateException closed) {
            return CompletableFuture.failedFuture(closed);
        }
    }

    private boolean answer(String topic, @Nullable Throwable failure) {
        if (failure != null && cause(failure) instanceof TimeoutException silence) {
            silentSince.compareAndSet(null, System.nanoTime());
            throw new CompletionException(new TimeoutException(saysSilent(Failure.words(silence)), silence));
        }
        silentSince.set(null);
        if (failure == null) {
            missing.remove(topic);
            return true;
        }
        if (cause(failure) instanceof UnknownTopicOrPartitionException) {
            missing.put(topic, System.nanoTime());
            return false;
        }
        throw new CompletionException(cause(failure));
    }

    String saysMissing(String topic) {
        return "the topic '" + topic + "' does not exist at " + config.servers() + ", rule "
                + config.topics().rulesOf(topic);
    }

    String saysSilent(String words) {
        return "no broker of " + config.servers() + " answers: " + words;
    }

    static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    @Override
    public void close() {
        Admin last;
        synchronized (this) {
            closed = true;
            last = admin;
        }
        if (last != null) {
            last.close(Duration.ZERO);
        }
    }
}
