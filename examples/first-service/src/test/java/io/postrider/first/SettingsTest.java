package io.postrider.first;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.ReceiveOptions;
import io.postrider.kafka.KafkaLimits;
import io.postrider.kafka.KafkaSourceLimits;
import io.postrider.nats.JetStreamConfig;
import io.postrider.nats.Servers;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.Reprocess;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.postgres.PostgresStoreConfig;
import io.postrider.webhook.EndpointLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The reference of settings says what the code says. */
class SettingsTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "reference", "settings.md");

    private static final String INTRODUCTION = """
            # Settings

            Every limit and policy with its default, made of the code (`SettingsTest`). All of them are values with a
            method for each name: `RetryPolicy.DEFAULT.attempts(5)`, `NodeLimits.builder().pollMax(period).build()`,
            `subscribe("billing").limits(l -> l.concurrency(4))`.""";

    @Test
    void the_page_lists_every_setting_with_its_default_and_meaning() throws Exception {
        String made = page();
        Path written = Path.of("target", "settings.md");
        Files.createDirectories(written.getParent());
        Files.writeString(written, made);
        assertThat(Files.readString(PAGE))
                .as("docs/reference/settings.md; the right one is in examples/first-service/%s", written)
                .isEqualTo(made);
    }

    private static String page() throws NoSuchMethodException {
        return new SettingsPage()
                .words(INTRODUCTION)
                .limits(
                        "Limits of a node",
                        "`NodeLimits`, by `PostriderConfig.limits`; `subscriptions` changes those of subscriptions.",
                        NodeLimits.DEFAULT,
                        "core")
                .limits(
                        "Limits of a subscription",
                        "`SubscriptionLimits`: of all subscriptions of a node by `NodeLimits.subscriptions`, of one by"
                                + " `SubscriptionBuilder.limits`, which starts from those of its node.",
                        SubscriptionLimits.DEFAULT,
                        "core")
                .section(
                        "Retries",
                        "`SubscriptionBuilder.retry`, for all types or for one.",
                        RetryPolicy.DEFAULT,
                        "core")
                .section("Queues", "`SubscriptionBuilder.queue`.", Queue.DEFAULT, "core")
                .section("Retention", "`SubscriptionBuilder.retention`.", Retention.DEFAULT, "core")
                .section(
                        "Reprocessing",
                        "`SubscriptionBuilder.reprocess`; off unless set. The values of"
                                + " `Reprocess.every(Duration.ofHours(1))`:",
                        Reprocess.every(Duration.ofHours(1)),
                        "core")
                .section("Receiving", "`Postrider.receive` and `consume`.", ReceiveOptions.DEFAULT, "core")
                .section("PostgreSQL store", "`PostgresStore.of`.", PostgresStoreConfig.DEFAULT, "stores/postgres")
                .section(
                        "JetStream destination",
                        "`JetStreamDestination`.",
                        JetStreamConfig.of(Servers.at("nats://localhost:4222")),
                        "destinations/nats")
                .section("Kafka destination", "`KafkaConfig.limits`.", KafkaLimits.DEFAULT, "destinations/kafka")
                .section("Kafka source", "`KafkaSourceConfig.limits`.", KafkaSourceLimits.DEFAULT, "destinations/kafka")
                .section("Webhook endpoint", "`EndpointConfig.limits`.", EndpointLimits.DEFAULT, "destinations/webhook")
                .text();
    }
}
