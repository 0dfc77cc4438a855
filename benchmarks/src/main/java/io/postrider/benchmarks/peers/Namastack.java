package io.postrider.benchmarks.peers;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import io.namastack.outbox.instance.OutboxInstanceRegistry;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Versions;
import io.postrider.benchmarks.measure.Waiting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * Namastack's outbox: an application with its starter. Settings are those of its authors' performance test, but for a
 * poll as often as it allows without a pause that would be felt.
 */
final class Namastack implements Peer {
    private static final String TABLE = "bench.outbox_record";
    private static final int BATCH = 1_000;
    private static final int THREADS = 32;
    private static final int PARTITIONS = 256;
    /** Without it, nothing polls and nothing shares the partitions. */
    private static final String SCHEDULING = "io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration";

    @Override
    public String name() {
        return "namastack-outbox-jdbc " + Versions.of("namastack") + " on Spring Boot " + Versions.of("spring-boot");
    }

    @Override
    public String appending() {
        return "schedule, workers idle";
    }

    @Override
    public String delivering(Tuning tuning) {
        return String.format(
                Locale.ROOT,
                "ordered by key, batch %,d, poll %d ms, %d threads, an instance is stale after %d s",
                BATCH,
                tuning.poll().toMillis(),
                tuning.threads(),
                tuning.failover().toSeconds());
    }

    @Override
    public Tuning fastest() {
        return Tuning.of(THREADS);
    }

    /** Its starter makes its tables. */
    @Override
    public void prepare(Database database) {}

    /** Takes no part in the instances' sharing: what it stores is for others. */
    @Override
    public Node storing(DataSource pool) {
        return node(pool, settings(fastest(), SCHEDULING), payload -> {}, context -> {
            context.getBean(OutboxInstanceRegistry.class).stop();
            return context.getBean(Outbox.class)::schedule;
        });
    }

    @Override
    public Node delivering(DataSource pool, Tuning tuning, Receiver receiver) {
        return node(pool, settings(tuning, ""), receiver, context -> context.getBean(Outbox.class)::schedule);
    }

    private static Map<String, Object> settings(Tuning tuning, String excluded) {
        return Map.ofEntries(
                Map.entry("spring.autoconfigure.exclude", excluded),
                Map.entry("namastack.outbox.jdbc.schema-initialization.enabled", "true"),
                Map.entry("namastack.outbox.polling.batch-size", BATCH),
                Map.entry("namastack.outbox.polling.trigger", "fixed"),
                Map.entry(
                        "namastack.outbox.polling.fixed.interval", tuning.poll().toMillis() + "ms"),
                Map.entry("namastack.outbox.processing.executor-core-pool-size", tuning.threads()),
                Map.entry("namastack.outbox.processing.executor-max-pool-size", tuning.threads()),
                Map.entry(
                        "namastack.outbox.instance.heartbeat-interval",
                        tuning.failover().dividedBy(4).toMillis() + "ms"),
                Map.entry(
                        "namastack.outbox.instance.stale-instance-timeout",
                        tuning.failover().toMillis() + "ms"),
                Map.entry("namastack.outbox.instance.rebalance-interval", "500ms"),
                Map.entry("namastack.outbox.multicaster.enabled", "false"));
    }

    private static Node node(
            DataSource pool,
            Map<String, Object> settings,
            Receiver receiver,
            Function<ConfigurableApplicationContext, SpringNode.Appending> append) {
        return SpringNode.run(
                pool,
                new SpringNode.Plan(
                        App.class,
                        settings,
                        Map.of("handler", new Handler(receiver)),
                        append,
                        context -> {},
                        () -> {}));
    }

    @Override
    public int connections(Tuning tuning) {
        return tuning.threads() + 4;
    }

    /** Each instance has its share of the partitions. */
    @Override
    public void awaitShared(Database database, int nodes) throws Exception {
        String shares = "SELECT count(*) || '/' || coalesce(min(partitions), 0) FROM (SELECT count(*) AS partitions"
                + " FROM bench.outbox_partition WHERE instance_id IS NOT NULL GROUP BY instance_id) AS share";
        String wanted = nodes + "/" + PARTITIONS / nodes;
        Waiting.until(
                "the partitions are shared as " + wanted,
                () -> database.value(shares).equals(wanted));
    }

    @Override
    public boolean wakesItself() {
        return false;
    }

    @Override
    public Optional<String> whyNotShared() {
        return Optional.empty();
    }

    @Override
    public String table() {
        return TABLE;
    }

    /** Its rows stay, marked as done. */
    @Override
    public String undelivered() {
        return TABLE + " WHERE status <> 'COMPLETED'";
    }

    @Override
    public boolean usesSpring() {
        return true;
    }

    @Override
    public boolean startsSlowly() {
        return true;
    }

    @Override
    public Optional<String> history() {
        return Optional.empty();
    }

    @Override
    public String severalHandlers() {
        return "it stores one record for each handler of the type in the appending transaction, not one for all";
    }

    @Override
    public List<String> tables() {
        return List.of("bench.outbox\\_%");
    }

    /** Its starter and no other peer's. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.modulith.core.config.ApplicationModuleInitializerRuntimeVerification",
                "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
                "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
                "org.springframework.modulith.events.jackson.JacksonEventSerializationConfiguration",
                "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration",
                "org.springframework.modulith.moments.autoconfigure.MomentsAutoConfiguration"
            })
    static class App {}

    /** Its type parameter is what tells the outbox which events it takes, so it cannot be a lambda. */
    static final class Handler implements OutboxTypedHandler<SpringEvent> {
        private final Receiver receiver;

        Handler(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public void handle(SpringEvent event, OutboxRecordMetadata metadata) {
            receiver.receive(event.payload());
        }
    }
}
