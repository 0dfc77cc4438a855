package io.postrider.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections that count the statements with some text in them. */
final class StatementCount {
    private final String text;
    private final AtomicInteger count = new AtomicInteger();

    StatementCount(String text) {
        this.text = text;
    }

    /** Those that were sent since the last call. */
    int count() {
        return count.getAndSet(0);
    }

    DataSource on(DataSource real) {
        return on(DataSource.class, real);
    }

    /** What a connection is asked for is a statement, or has the text of one. */
    private <T> T on(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                StatementCount.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    if (args != null && args.length > 0 && args[0] instanceof String sql && sql.contains(text)) {
                        count.incrementAndGet();
                    }
                    Object result = call(real, method, args);
                    if (result instanceof Connection connection) {
                        return on(Connection.class, connection);
                    }
                    return method.getName().equals("createStatement") && result instanceof Statement statement
                            ? on(Statement.class, statement)
                            : result;
                }));
    }

    private static @Nullable Object call(Object real, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
