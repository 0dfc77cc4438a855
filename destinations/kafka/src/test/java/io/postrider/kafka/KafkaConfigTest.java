package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class KafkaConfigTest {
    private static final List<String> SERVERS = List.of("localhost:9092");
    private static final TopicRules RULES = TopicRules.others("events");

    @Test
    void the_type_comes_before_the_longest_prefix_and_that_before_the_rest() {
        TopicRules rules = TopicRules.others("rest")
                .prefix("billing.", "billing")
                .prefix("billing.invoice.", "invoices")
                .type("billing.invoice.sent", "sent");
        assertThat(rules.topicOf("billing.invoice.sent")).isEqualTo("sent");
        assertThat(rules.topicOf("billing.invoice.paid")).isEqualTo("invoices");
        assertThat(rules.topicOf("billing.closed")).isEqualTo("billing");
        assertThat(rules.topicOf("billing")).isEqualTo("rest");
        assertThat(TopicRules.none().type("a", "b").topicOf("c")).isNull();
    }

    @Test
    void a_rule_is_refused_with_the_value_that_is_wrong() {
        assertThatThrownBy(() -> TopicRules.others("with space")).hasMessageContaining("'with space'");
        assertThatThrownBy(() -> TopicRules.others("..")).hasMessageContaining("'..'");
        assertThatThrownBy(() -> RULES.type("a", "x".repeat(250))).hasMessageContaining("1 to 249");
        assertThatThrownBy(() -> RULES.type("", "b")).hasMessageContaining("'' -> 'b'");
        assertThatThrownBy(() -> RULES.type("a", "b").type("a", "c"))
                .hasMessageContaining("type 'a'")
                .hasMessageContaining("'b' and 'c'");
        assertThatThrownBy(() -> RULES.prefix("billing.*", "billing"))
                .hasMessage("a prefix has no wildcard: 'billing.', got 'billing.*'");
        assertThatThrownBy(() -> RULES.type("billing.*", "billing"))
                .hasMessage("a rule for a type takes that one type, and no wildcard: prefix('billing.', …) takes all"
                        + " that begin so, got 'billing.*'");
        assertThatThrownBy(() -> RULES.prefix("*", "billing")).hasMessageContaining("others(topic) takes every type");
        assertThatThrownBy(() -> RULES.create(0, 1)).hasMessageContaining("partitions 0");
        assertThatThrownBy(() -> RULES.create(1, 0)).hasMessageContaining("replication 0");
    }

    @Test
    void a_config_is_refused_with_the_value_that_is_wrong() {
        KafkaConfig config = KafkaConfig.of(SERVERS, RULES);
        assertThatThrownBy(() -> KafkaConfig.of(List.of(), RULES)).hasMessageContaining("at least one server");
        assertThatThrownBy(() -> KafkaConfig.of(List.of("localhost"), RULES)).hasMessageContaining("'localhost'");
        assertThatThrownBy(() -> KafkaConfig.of(List.of("localhost:99999"), RULES))
                .hasMessageContaining("'localhost:99999'");
        assertThatThrownBy(() -> KafkaConfig.of(SERVERS, TopicRules.none())).hasMessageContaining("names a topic");
        assertThatThrownBy(() -> config.name(" ")).hasMessageContaining("needs a name");
        assertThatThrownBy(() -> config.property("acks", "1"))
                .hasMessageContaining("'acks'")
                .hasMessageContaining("Postrider sets it itself");
    }

    @Test
    void limits_are_refused_with_the_value_that_is_wrong() {
        KafkaLimits limits = KafkaLimits.DEFAULT;
        assertThatThrownBy(() -> limits.batch(0)).hasMessageContaining("batch 0");
        assertThatThrownBy(() -> limits.window(1)).hasMessageContaining("window 1");
        assertThatThrownBy(() -> limits.batchBytes(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> limits.batchBytes(17 << 20)).hasMessageContaining("got 17825792");
        assertThatThrownBy(() -> limits.patience(Duration.ofMillis(999))).hasMessageContaining("PT0.999S");
        assertThatThrownBy(() -> limits.linger(Duration.ofSeconds(6))).hasMessageContaining("PT6S");
        assertThatThrownBy(() -> limits.answerWithin(Duration.ZERO)).hasMessageContaining("PT0S");
        assertThatThrownBy(() -> KafkaSourceLimits.DEFAULT.unacknowledged(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> KafkaSourceLimits.DEFAULT.commitEvery(Duration.ZERO))
                .hasMessageContaining("PT0S");
    }

    @Test
    void the_producers_time_is_over_before_the_engines_patience() {
        for (Duration patience : List.of(Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofMinutes(5))) {
            KafkaLimits limits = KafkaLimits.DEFAULT.linger(Duration.ZERO).patience(patience);
            assertThat(limits.blockAtMost().plus(limits.deliveryTimeout()).plus(limits.doubtAtMost()))
                    .isLessThanOrEqualTo(patience.multipliedBy(3).dividedBy(4));
            assertThat(limits.requestTimeout()).isLessThan(limits.deliveryTimeout());
        }
    }

    @Test
    void a_source_is_refused_with_the_value_that_is_wrong() {
        KafkaSourceConfig config = KafkaSourceConfig.of(SERVERS, "letters", "events");
        assertThatThrownBy(() -> KafkaSourceConfig.of(SERVERS, " ", "events")).hasMessageContaining("group ' '");
        assertThatThrownBy(() -> KafkaSourceConfig.of(SERVERS, "letters")).hasMessageContaining("topics []");
        assertThatThrownBy(() -> KafkaSourceConfig.of(SERVERS, "letters", "a b"))
                .hasMessageContaining("'a b'");
        assertThatThrownBy(() -> config.deadTopic("events")).hasMessageContaining("'events'");
        assertThatThrownBy(() -> config.property("enable.auto.commit", "true"))
                .hasMessageContaining("'enable.auto.commit'");
        assertThatThrownBy(() -> config.property("auto.offset.reset", "none")).hasMessageContaining("'none'");
    }

    @Test
    void no_text_has_a_secret_in_it() {
        String jaas = "sasl.jaas.config";
        assertThat(KafkaConfig.of(SERVERS, RULES).property(jaas, "password=\"hush\""))
                .asString()
                .contains(jaas)
                .doesNotContain("hush");
        assertThat(KafkaSourceConfig.of(SERVERS, "letters", "events").property(jaas, "password=\"hush\""))
                .asString()
                .contains(jaas)
                .doesNotContain("hush");
    }
}
