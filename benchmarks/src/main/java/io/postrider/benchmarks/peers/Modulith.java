package io.postrider.benchmarks.peers;

import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Versions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Spring Modulith's event publication registry: an application with its starter, and a listener that runs on an
 * executor after the commit. A start resubmits what is incomplete, the one way it has to deliver what was left over.
 * What was handled is deleted, the cheapest of its completions; the listener opens no transaction of its own, because
 * it has nothing to write.
 */
final class Modulith implements Peer {
    private static final String TABLE = "bench.event_publication";
    private static final int THREADS = 20;
    private static final Map<String, Object> SETTINGS = Map.of(
            "spring.modulith.events.jdbc.schema-initialization.enabled", "true",
            "spring.modulith.events.completion-mode", "delete",
            "namastack.outbox.enabled", "false");

    @Override
    public String name() {
        return "spring-modulith-jdbc " + Versions.of("spring-modulith") + " on Spring Boot "
                + Versions.of("spring-boot");
    }

    @Override
    public String appending() {
        return "publishEvent, listeners idle";
    }

    @Override
    public String delivering(Tuning tuning) {
        return String.format(
                Locale.ROOT,
                "unordered (it has no order), listener called after the commit, completion by delete, %d threads",
                tuning.threads());
    }

    @Override
    public Tuning fastest() {
        return Tuning.of(THREADS);
    }

    /** Its starter makes its table. */
    @Override
    public void prepare(Database database) {}

    /** Its listeners never run: what is published stays incomplete. */
    @Override
    public Node storing(DataSource pool) {
        return node(pool, task -> {}, payload -> {}, () -> {});
    }

    /** The queue of its executor is unbounded. */
    @Override
    public Node delivering(DataSource pool, Tuning tuning, Receiver receiver) {
        ExecutorService workers = Executors.newFixedThreadPool(tuning.threads());
        return node(pool, workers, receiver, workers::shutdown);
    }

    private static Node node(DataSource pool, Executor executor, Receiver receiver, Runnable close) {
        return SpringNode.run(
                pool,
                new SpringNode.Plan(
                        App.class,
                        SETTINGS,
                        Map.of("taskExecutor", executor, "receiver", receiver),
                        context -> (event, key) -> context.publishEvent(event),
                        Modulith::resubmit,
                        close));
    }

    private static void resubmit(ConfigurableApplicationContext context) {
        context.getBean(IncompleteEventPublications.class).resubmitIncompletePublications(publication -> true);
    }

    @Override
    public int connections(Tuning tuning) {
        return tuning.threads() + 4;
    }

    @Override
    public void awaitShared(Database database, int nodes) {}

    @Override
    public boolean wakesItself() {
        return true;
    }

    @Override
    public Optional<String> whyNotShared() {
        return Optional.of("the process that commits an event also calls its listeners; another delivers it only if"
                + " the application resubmits what is incomplete");
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public String undelivered() {
        return TABLE;
    }

    @Override
    public boolean usesSpring() {
        return true;
    }

    @Override
    public boolean startsSlowly() {
        return false;
    }

    @Override
    public Optional<String> history() {
        return Optional.of("with completion by delete, the fastest, it keeps nothing");
    }

    @Override
    public String severalHandlers() {
        return "it stores one publication for each listener in the appending transaction, not one for all";
    }

    @Override
    public List<String> tables() {
        return List.of("bench.event\\_publication%");
    }

    /** Its starter and no other peer's. */
    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.modulith.core.config.ApplicationModuleInitializerRuntimeVerification",
                "org.springframework.modulith.moments.autoconfigure.MomentsAutoConfiguration",
                "io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration",
                "io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration",
                "io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration",
                "io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration",
                "io.namastack.outbox.config.OutboxCoreMulticasterAutoConfiguration",
                "io.namastack.outbox.config.JdbcOutboxAutoConfiguration",
                "io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration",
                "io.namastack.outbox.OutboxJacksonAutoConfiguration"
            })
    static class App {
        @Bean
        Listener listener(Receiver receiver) {
            return new Listener(receiver);
        }
    }

    /** Proxied for the executor, so it can be extended. */
    static class Listener {
        private final Receiver receiver;

        Listener(Receiver receiver) {
            this.receiver = receiver;
        }

        @Async
        @TransactionalEventListener
        void on(SpringEvent event) {
            receiver.receive(event.payload());
        }
    }
}
