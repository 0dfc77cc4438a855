package io.postrider.benchmarks;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What every scenario has of Namastack's outbox: an application with its starter. Settings are those of its authors'
 * performance test, but for a poll as often as it allows without a pause that would be felt.
 */
final class Namastack implements AutoCloseable {
    static final String NAME =
            "namastack-outbox-jdbc " + Versions.of("namastack") + " on Spring Boot " + Versions.of("spring-boot");
    static final String TABLE = "bench.outbox_record";

    static final int BATCH = 1_000;
    static final int THREADS = 32;
    static final String POLL = "10ms";

    private final ConfigurableApplicationContext context;
    private final DataSource pool;
    private final TransactionTemplate transactions;
    private final Outbox outbox;

    private Namastack(DataSource pool, Runnable handled, String poll) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "namastack.outbox.jdbc.schema-initialization.enabled", "true",
                "namastack.outbox.polling.batch-size", BATCH,
                "namastack.outbox.polling.trigger", "fixed",
                "namastack.outbox.polling.fixed.interval", poll,
                "namastack.outbox.processing.executor-core-pool-size", THREADS,
                "namastack.outbox.processing.executor-max-pool-size", THREADS,
                "namastack.outbox.instance.heartbeat-interval", "1s",
                "namastack.outbox.instance.stale-instance-timeout", "10s",
                "namastack.outbox.instance.rebalance-interval", "1s",
                "namastack.outbox.multicaster.enabled", "false"));
        this.context = SpringApp.start(App.class, pool, settings, Map.of("receiver", new Receiver(handled)));
        this.pool = pool;
        this.transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        this.outbox = context.getBean(Outbox.class);
    }

    /** Stores only: it polls once, at its start. */
    static Namastack storing(DataSource pool) {
        return new Namastack(pool, () -> {}, "1d");
    }

    static Namastack delivering(DataSource pool, Runnable handled) {
        return new Namastack(pool, handled, POLL);
    }

    /** What happens in one of its transactions. */
    @FunctionalInterface
    interface Work {
        void run(Connection connection, Outbox outbox) throws SQLException;
    }

    void transaction(Work work) {
        transactions.executeWithoutResult(status -> {
            try {
                work.run(DataSourceUtils.getConnection(pool), outbox);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Override
    public void close() {
        context.close();
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
    static final class Receiver implements OutboxTypedHandler<SpringEvent> {
        private final Runnable handled;

        Receiver(Runnable handled) {
            this.handled = handled;
        }

        @Override
        public void handle(SpringEvent event, OutboxRecordMetadata metadata) {
            handled.run();
        }
    }
}
