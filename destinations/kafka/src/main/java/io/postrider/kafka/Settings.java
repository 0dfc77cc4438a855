package io.postrider.kafka;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/** Kafka's own settings: which of them are ours to make, and what we make them. */
final class Settings {
    private static final Pattern SERVER = Pattern.compile("\\S+:\\d{1,5}");
    private static final Duration TOPIC_KNOWN_FOR = Duration.ofDays(1);
    private static final Duration RECONNECT_EVERY = Duration.ofMillis(250);

    /** Properties that our promises rest on: nobody else sets these. */
    static final Set<String> OF_THE_DESTINATION = Set.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            ProducerConfig.ACKS_CONFIG,
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
            ProducerConfig.RETRIES_CONFIG,
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            ProducerConfig.BATCH_SIZE_CONFIG,
            ProducerConfig.LINGER_MS_CONFIG,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);

    static final Set<String> OF_THE_SOURCE = Set.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            ConsumerConfig.GROUP_ID_CONFIG,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

    private Settings() {}

    static List<String> requireServers(List<String> servers) {
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("Kafka needs at least one server, as host:port");
        }
        servers.forEach(Settings::requireServer);
        return List.copyOf(servers);
    }

    private static void requireServer(String server) {
        if (!SERVER.matcher(server).matches()
                || Integer.parseInt(server.substring(server.lastIndexOf(':') + 1)) > 65_535) {
            throw new IllegalArgumentException("a Kafka server is host:port, got '" + server + "'");
        }
    }

    /** Why no client can be made of these servers at present, or null: the name of one has to lead to an address. */
    static @Nullable String unknown(List<String> servers) {
        return servers.stream().anyMatch(Settings::isKnown)
                ? null
                : "no host of " + servers + " is known: their names lead to no address";
    }

    private static boolean isKnown(String server) {
        try {
            InetAddress.getByName(server.substring(server.lastIndexOf('/') + 1, server.lastIndexOf(':')));
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** The properties, if none of them is ours. The message has the name only: values may be secret. */
    static Map<String, String> requireFree(Set<String> ours, Map<String, String> properties) {
        properties.keySet().stream().filter(ours::contains).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException(
                    "the property '" + name + "' is not to be set: Postrider sets it itself");
        });
        return Map.copyOf(properties);
    }

    static Map<String, String> with(Map<String, String> properties, String name, String value) {
        Map<String, String> more = new HashMap<>(properties);
        more.put(name, value);
        return more;
    }

    static Map<String, Object> producer(KafkaConfig config) {
        KafkaLimits limits = config.limits();
        Map<String, Object> settings = producer(config.servers());
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, "postrider-" + config.name());
        // A topic that is seldom written to stays known, so that its next event need not wait for the broker.
        settings.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, TOPIC_KNOWN_FOR.toMillis());
        settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_EVERY.toMillis());
        settings.putAll(config.properties());
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int)
                limits.deliveryTimeout().toMillis());
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int)
                limits.requestTimeout().toMillis());
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, limits.blockAtMost().toMillis());
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, limits.batchBytes());
        settings.put(ProducerConfig.LINGER_MS_CONFIG, limits.linger().toMillis());
        settings.put(
                ProducerConfig.COMPRESSION_TYPE_CONFIG, config.compression().setting());
        return settings;
    }

    /** Acknowledged means by all replicas in sync; five requests at once keep their order, as they are numbered. */
    static Map<String, Object> producer(List<String> servers) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, String.join(",", servers));
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
        return settings;
    }

    static Map<String, Object> admin(KafkaConfig config) {
        Map<String, Object> settings = new HashMap<>(config.properties());
        settings.keySet()
                .removeIf(name -> ProducerConfig.configNames().contains(name)
                        && !AdminClientConfig.configNames().contains(name));
        int answerWithin = (int) config.limits().answerWithin().toMillis();
        settings.putIfAbsent(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_EVERY.toMillis());
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, String.join(",", config.servers()));
        settings.put(AdminClientConfig.CLIENT_ID_CONFIG, "postrider-" + config.name() + "-admin");
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, answerWithin);
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, answerWithin);
        // Without a broker it would begin anew a thousand times a second, and log each; the cluster makes a new one.
        settings.put(AdminClientConfig.METADATA_RECOVERY_STRATEGY_CONFIG, "none");
        return settings;
    }

    static Map<String, Object> consumer(KafkaSourceConfig config) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_EVERY.toMillis());
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.putAll(config.properties());
        if (!"consumer".equals(config.properties().get(ConsumerConfig.GROUP_PROTOCOL_CONFIG))) {
            // Members keep what they have while others come and go.
            settings.putIfAbsent(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        }
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, String.join(",", config.servers()));
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, config.group());
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, config.limits().readAtOnce());
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        // Kafka would jump over messages that were removed before they were read, and say nothing.
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        return settings;
    }

    static Map<String, Object> deadTopicProducer(KafkaSourceConfig config) {
        Map<String, Object> settings = producer(config.servers());
        config.properties().forEach((name, value) -> {
            boolean ofTheConsumerOnly = ConsumerConfig.configNames().contains(name)
                    && !ProducerConfig.configNames().contains(name);
            if (!ofTheConsumerOnly && !name.equals(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG)) {
                settings.put(name, value);
            }
        });
        int answerWithin = (int) config.limits().answerWithin().toMillis();
        settings.put(
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                KafkaLimits.DEFAULT.blockAtMost().toMillis());
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, answerWithin);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 2 * answerWithin);
        return settings;
    }
}
