package io.postrider.benchmarks.brokers;

import io.postrider.benchmarks.measure.Waiting;
import io.postrider.kafka.KafkaConfig;
import io.postrider.kafka.KafkaDestination;
import io.postrider.kafka.TopicRules;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.utils.AppInfoParser;

/** A topic of one replica; another one each round, because Kafka removes topics in its own time. */
final class KafkaPlace implements Place {
    private static final int PARTITIONS = 6;

    private final String server;
    private int topics;

    KafkaPlace(String server) {
        this.server = server;
    }

    String server() {
        return server;
    }

    String topic() {
        return "payouts-" + ProcessHandle.current().pid() + "-" + topics;
    }

    @Override
    public String what() {
        return "a topic with " + PARTITIONS + " partitions and one replica, idempotent, acks=all";
    }

    @Override
    public void renew() throws Exception {
        try (Admin admin = admin()) {
            if (topics > 0) {
                admin.deleteTopics(List.of(topic())).all().get();
            }
            topics++;
            admin.createTopics(List.of(new NewTopic(topic(), PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        // A producer whose first batch finds no leader yet may see its second one taken first, and is stuck then.
        Waiting.until("the broker leads " + topic(), this::isLed);
    }

    private boolean isLed() throws ExecutionException, InterruptedException {
        try {
            return stored() == 0;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RetriableException) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public double reach(Reaching work) throws Exception {
        try (KafkaDestination destination =
                KafkaDestination.open(KafkaConfig.of(List.of(server), TopicRules.others(topic())))) {
            return work.to(destination);
        }
    }

    @Override
    public BareClient.Kind client() {
        return new BareClient.Kind(
                "kafka-clients " + AppInfoParser.getVersion() + " send",
                "one thread; as many under way as the producer's memory holds; linger and batch.size as the destination"
                        + " has them",
                () -> new BareSend(this));
    }

    @Override
    public long stored() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> ends = IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic(), partition))
                .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
        try (Admin admin = admin()) {
            return admin.listOffsets(ends).all().get().values().stream()
                    .mapToLong(ListOffsetsResultInfo::offset)
                    .sum();
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", server));
    }
}
