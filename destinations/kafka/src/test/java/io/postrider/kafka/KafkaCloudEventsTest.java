package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.CloudEvent;
import io.cloudevents.core.message.MessageReader;
import io.cloudevents.core.message.impl.GenericStructuredMessageReader;
import io.cloudevents.core.message.impl.MessageUtils;
import io.cloudevents.jackson.JsonFormat;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.destination.Source;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.wire.Encoding;
import io.postrider.wire.Incoming;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's CloudEvents binding, read by the CloudEvents SDK and by our own source. */
class KafkaCloudEventsTest {
    private static final URI SOURCE = URI.create("https://letters.example/outbox");
    private static final StoredEvent EVENT = Stored.event("letter.sent", "ann", "{\"to\":\"Grüße\"}");

    private static KafkaBroker broker;

    @BeforeAll
    static void start(@TempDir Path folder) {
        broker = KafkaBroker.start(folder);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void a_structured_event_is_one_that_the_sdk_reads_and_so_do_we() throws Exception {
        ConsumerRecord<byte[], byte[]> record = sent("structured", Encoding.cloudEvents(SOURCE));
        assertThat(TopicReader.headers(record).get("content-type")).startsWith("application/cloudevents+json");
        assertTheEvent(new GenericStructuredMessageReader(new JsonFormat(), record.value()).toEvent());
        assertComesBack("structured");
    }

    @Test
    void a_binary_event_is_one_that_the_sdk_reads_and_so_do_we() throws Exception {
        ConsumerRecord<byte[], byte[]> record = sent("binary", Encoding.cloudEventsBinary(SOURCE, "ce_"));
        Map<String, String> headers = TopicReader.headers(record);
        assertThat(headers).containsEntry("ce_type", "letter.sent").containsKey("content-type");
        assertTheEvent(reader(headers, record.value()).toEvent());
        assertComesBack("binary");
    }

    private static MessageReader reader(Map<String, String> headers, byte[] body) {
        return MessageUtils.parseStructuredOrBinaryMessage(
                () -> headers.get("content-type"),
                format -> new GenericStructuredMessageReader(format, body),
                () -> headers.get("ce_specversion"),
                version -> new KafkaHeadersReader(version, headers, body));
    }

    private static ConsumerRecord<byte[], byte[]> sent(String topic, Encoding encoding) {
        TopicRules rules = TopicRules.others(topic).create(1, 1);
        try (KafkaDestination destination = KafkaDestination.open(
                KafkaConfig.of(List.of(broker.address()), rules).encoding(encoding))) {
            assertThat(Stored.dispatch(destination, EVENT)).containsExactly(Outcome.DELIVERED);
        }
        return TopicReader.read(broker.address(), List.of(topic)).get(0);
    }

    private static void assertTheEvent(CloudEvent event) {
        assertThat(event.getId()).isEqualTo(EVENT.id().toString());
        assertThat(event.getType()).isEqualTo("letter.sent");
        assertThat(event.getSource()).isEqualTo(SOURCE);
        assertThat(event.getExtension("partitionkey")).isEqualTo("ann");
        assertThat(new String(event.getData().toBytes(), StandardCharsets.UTF_8))
                .isEqualTo(EVENT.payload());
    }

    private static void assertComesBack(String topic) throws InterruptedException {
        try (Source source = KafkaSource.open(KafkaSourceConfig.of(List.of(broker.address()), "readers", topic))) {
            Incoming incoming = KafkaSourceTest.pull(source, 1).get(0).incoming();
            assertThat(incoming.id()).contains(EVENT.id().toString());
            assertThat(incoming.event().type()).isEqualTo("letter.sent");
            assertThat(incoming.event().key()).isEqualTo("ann");
        }
    }
}
