package io.postrider.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What every scenario has of Spring Modulith's event publication registry: an application with its starter, and a
 * listener that runs on an executor after the commit. What was handled is deleted, the cheapest of its completions; the
 * listener opens no transaction of its own, because it has nothing to write.
 */
final class Modulith implements AutoCloseable {
    static final String NAME =
            "spring-modulith-jdbc " + Versions.of("spring-modulith") + " on Spring Boot " + Versions.of("spring-boot");
    static final String TABLE = "bench.event_publication";

    private static final Map<String, Object> SETTINGS = new HashMap<>(Map.of(
            "spring.modulith.events.jdbc.schema-initialization.enabled", "true",
            "spring.modulith.events.completion-mode", "delete",
            "namastack.outbox.enabled", "false"));

    private final ConfigurableApplicationContext context;
    private final DataSource pool;
    private final TransactionTemplate transactions;

    private Modulith(DataSource pool, Executor executor, Runnable handled) {
        this.context = SpringApp.start(App.class, pool, SETTINGS, Map.of("taskExecutor", executor, "handled", handled));
        this.pool = pool;
        this.transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    /** Its listeners never run: what is published stays incomplete. */
    static Modulith storing(DataSource pool) {
        return new Modulith(pool, task -> {}, () -> {});
    }

    static Modulith delivering(DataSource pool, Executor executor, Runnable handled) {
        return new Modulith(pool, executor, handled);
    }

    /** What happens in one of its transactions. */
    @FunctionalInterface
    interface Work {
        void run(Connection connection, ApplicationEventPublisher events) throws SQLException;
    }

    void transaction(Work work) {
        transactions.executeWithoutResult(status -> {
            try {
                work.run(DataSourceUtils.getConnection(pool), context);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** The one way it has to deliver what was left over. */
    void resubmit() {
        context.getBean(IncompleteEventPublications.class).resubmitIncompletePublications(publication -> true);
    }

    @Override
    public void close() {
        context.close();
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
        Listener listener(Runnable handled) {
            return new Listener(handled);
        }
    }

    /** Proxied for the executor, so it can be extended. */
    static class Listener {
        private final Runnable handled;

        Listener(Runnable handled) {
            this.handled = handled;
        }

        @Async
        @TransactionalEventListener
        void on(SpringEvent event) {
            handled.run();
        }
    }
}
