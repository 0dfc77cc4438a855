package io.postrider.kafka;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/**
 * How a Kafka source is set up. Its text has no property's value in it, as some are secret.
 *
 * @param name what it is called in records of what was received; never to be changed
 * @param servers where the cluster is found at first, each {@code host:port}
 * @param group the consumer group: its members share the messages
 * @param topics what it reads
 * @param deadTopic where messages go that are not to come again although nobody handled them; if null they are only
 *     logged, with their place
 * @param limits every bound
 * @param properties further settings of Kafka's consumer, such as those of TLS and SASL; {@code auto.offset.reset} says
 *     where a new group begins: {@code earliest}, which is the default, or {@code latest}
 */
public record KafkaSourceConfig(
        String name,
        List<String> servers,
        String group,
        List<String> topics,
        @Nullable String deadTopic,
        KafkaSourceLimits limits,
        Map<String, String> properties) {

    private static final Set<String> BEGINNINGS = Set.of("earliest", "latest");

    public KafkaSourceConfig {
        servers = Settings.requireServers(servers);
        properties = Settings.requireFree(Settings.OF_THE_SOURCE, properties);
        topics = List.copyOf(topics);
        topics.forEach(TopicRules::requireTopic);
        if (name.isBlank() || group.isBlank() || topics.isEmpty()) {
            throw new IllegalArgumentException("a Kafka source needs a name, a group and a topic, got name '" + name
                    + "', group '" + group + "' and topics " + topics);
        }
        if (deadTopic != null && topics.contains(TopicRules.requireTopic(deadTopic))) {
            throw new IllegalArgumentException("the dead topic '" + deadTopic + "' is one that is read: " + topics);
        }
        String beginning = properties.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
        if (beginning != null && !BEGINNINGS.contains(beginning)) {
            throw new IllegalArgumentException("auto.offset.reset is earliest or latest, got '" + beginning + "'");
        }
    }

    /** Reads these topics from their beginning, as this group. */
    public static KafkaSourceConfig of(List<String> servers, String group, String... topics) {
        return new KafkaSourceConfig(
                "kafka:" + group, servers, group, List.of(topics), null, KafkaSourceLimits.DEFAULT, Map.of());
    }

    public KafkaSourceConfig name(String name) {
        return new KafkaSourceConfig(name, servers, group, topics, deadTopic, limits, properties);
    }

    public KafkaSourceConfig deadTopic(String deadTopic) {
        return new KafkaSourceConfig(name, servers, group, topics, deadTopic, limits, properties);
    }

    public KafkaSourceConfig limits(KafkaSourceLimits limits) {
        return new KafkaSourceConfig(name, servers, group, topics, deadTopic, limits, properties);
    }

    /** One more setting of Kafka's consumer. */
    public KafkaSourceConfig property(String name, String value) {
        return new KafkaSourceConfig(
                this.name, servers, group, topics, deadTopic, limits, Settings.with(properties, name, value));
    }

    boolean beginsAtTheEnd() {
        return "latest".equals(properties.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG));
    }

    @Override
    public String toString() {
        return "KafkaSourceConfig[" + name + " at " + servers + ", group " + group + ", topics " + topics
                + ", dead topic " + deadTopic + ", " + limits + ", properties " + new TreeSet<>(properties.keySet())
                + "]";
    }
}
