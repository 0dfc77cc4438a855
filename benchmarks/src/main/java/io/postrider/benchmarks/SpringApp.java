package io.postrider.benchmarks;

import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** A Spring application for one peer, on our pool: its starter configures it, and the other peer's stays out. */
final class SpringApp {
    private SpringApp() {}

    static ConfigurableApplicationContext start(
            Class<?> configuration, DataSource pool, Map<String, Object> settings, Map<String, Object> beans) {
        SpringApplication application = new SpringApplication(configuration);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(new HashMap<>(settings));
        application.addInitializers(context -> {
            GenericApplicationContext registry = (GenericApplicationContext) context;
            // Ours to close: the pool outlives the application.
            registry.registerBean("dataSource", DataSource.class, () -> pool, bean -> bean.setDestroyMethodName(""));
            beans.forEach((name, bean) -> register(registry, name, bean));
        });
        return application.run();
    }

    /** By a supplier: what is registered as a finished object is hidden from those who look for handlers. */
    private static <T> void register(GenericApplicationContext registry, String name, T bean) {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) bean.getClass();
        registry.registerBean(name, type, () -> bean, definition -> definition.setDestroyMethodName(""));
    }
}
