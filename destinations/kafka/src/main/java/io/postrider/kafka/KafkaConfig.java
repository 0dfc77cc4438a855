package io.postrider.kafka;

import io.postrider.wire.Encoding;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * How a Kafka destination is set up. Its text has no property's value in it, as some are secret.
 *
 * @param name what people and metrics call it
 * @param servers where the cluster is found at first, each {@code host:port}
 * @param topics which events go to which topic
 * @param encoding how an event becomes a message
 * @param compression how messages are compressed
 * @param limits every bound
 * @param properties further settings of Kafka's producer, such as those of TLS and SASL
 */
public record KafkaConfig(
        String name,
        List<String> servers,
        TopicRules topics,
        Encoding encoding,
        Compression compression,
        KafkaLimits limits,
        Map<String, String> properties) {

    public KafkaConfig {
        servers = Settings.requireServers(servers);
        properties = Settings.requireFree(Settings.OF_THE_DESTINATION, properties);
        if (name.isBlank()) {
            throw new IllegalArgumentException("a Kafka destination needs a name");
        }
        if (topics.topics().isEmpty()) {
            throw new IllegalArgumentException("no rule of the Kafka destination '" + name + "' names a topic");
        }
    }

    /** The payload as it was appended, without compression, to these topics of this cluster. */
    public static KafkaConfig of(List<String> servers, TopicRules topics) {
        return new KafkaConfig(
                "kafka", servers, topics, Encoding.plain(), Compression.NONE, KafkaLimits.DEFAULT, Map.of());
    }

    public KafkaConfig name(String name) {
        return new KafkaConfig(name, servers, topics, encoding, compression, limits, properties);
    }

    public KafkaConfig encoding(Encoding encoding) {
        return new KafkaConfig(name, servers, topics, encoding, compression, limits, properties);
    }

    public KafkaConfig compression(Compression compression) {
        return new KafkaConfig(name, servers, topics, encoding, compression, limits, properties);
    }

    public KafkaConfig limits(KafkaLimits limits) {
        return new KafkaConfig(name, servers, topics, encoding, compression, limits, properties);
    }

    /** One more setting of Kafka's producer. */
    public KafkaConfig property(String name, String value) {
        return new KafkaConfig(
                this.name, servers, topics, encoding, compression, limits, Settings.with(properties, name, value));
    }

    @Override
    public String toString() {
        return "KafkaConfig[" + name + " at " + servers + ", topics " + topics + ", compression " + compression + ", "
                + limits + ", properties " + new TreeSet<>(properties.keySet()) + "]";
    }
}
