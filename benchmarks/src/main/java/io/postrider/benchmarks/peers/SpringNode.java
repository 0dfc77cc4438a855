package io.postrider.benchmarks.peers;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A Spring application for one peer, on our pool: its starter configures it, and the other peer's stays out. */
final class SpringNode implements Node {
    private final DataSource pool;
    private final Plan plan;
    private final ConfigurableApplicationContext context;
    private final TransactionTemplate transactions;
    private final Appending appending;
    private final AtomicLong numbers = new AtomicLong();

    private SpringNode(DataSource pool, Plan plan, ConfigurableApplicationContext context) {
        this.pool = pool;
        this.plan = plan;
        this.context = context;
        this.transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        this.appending = plan.append().apply(context);
    }

    /**
     * What one peer has of its own.
     *
     * @param beans ours, by name
     * @param append finds in the application what takes events
     * @param start makes the running application deliver what is there
     * @param close ends what is not the application's
     */
    record Plan(
            Class<?> configuration,
            Map<String, Object> settings,
            Map<String, Object> beans,
            Function<ConfigurableApplicationContext, Appending> append,
            Consumer<ConfigurableApplicationContext> start,
            Runnable close) {}

    /** Hands an event to the application, in its transaction. */
    @FunctionalInterface
    interface Appending {
        void append(SpringEvent event, String key);
    }

    static SpringNode run(DataSource pool, Plan plan) {
        SpringApplication application = new SpringApplication(plan.configuration());
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(new HashMap<>(plan.settings()));
        application.addInitializers(context -> {
            GenericApplicationContext registry = (GenericApplicationContext) context;
            // Ours to close: the pool outlives the application.
            registry.registerBean("dataSource", DataSource.class, () -> pool, bean -> bean.setDestroyMethodName(""));
            plan.beans().forEach((name, bean) -> register(registry, name, bean));
        });
        return new SpringNode(pool, plan, application.run());
    }

    /** By a supplier: what is registered as a finished object is hidden from those who look for handlers. */
    private static <T> void register(GenericApplicationContext registry, String name, T bean) {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) bean.getClass();
        registry.registerBean(name, type, () -> bean, definition -> definition.setDestroyMethodName(""));
    }

    @Override
    public void transaction(Work work) {
        transactions.executeWithoutResult(status -> {
            try {
                work.run(DataSourceUtils.getConnection(pool), this::append);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void append(List<Outgoing> events) {
        for (Outgoing event : events) {
            SpringEvent numbered = new SpringEvent(numbers.incrementAndGet(), event.payload());
            appending.append(numbered, event.key());
        }
    }

    @Override
    public void start() {
        plan.start().accept(context);
    }

    @Override
    public void close() {
        context.close();
        plan.close().run();
    }
}
