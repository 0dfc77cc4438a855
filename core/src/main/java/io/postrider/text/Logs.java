package io.postrider.text;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loggers for the engine that never throw. A line may fail because of the exception in it, whose methods are the
 * host's, because of an appender, or for want of memory; no such failure may come between a fault and its recovery. A
 * line that failed is tried once more with the class of its exception in the exception's place, and is left out after
 * that.
 */
public final class Logs {
    private Logs() {}

    public static Logger of(Class<?> owner) {
        return guarded(LoggerFactory.getLogger(owner));
    }

    public static Logger of(String name) {
        return guarded(LoggerFactory.getLogger(name));
    }

    /** A proxy, because the methods of a logger differ between the versions of slf4j that a host may have. */
    static Logger guarded(Logger logger) {
        InvocationHandler calls = (proxy, method, arguments) -> call(logger, method, arguments);
        return (Logger) Proxy.newProxyInstance(Logs.class.getClassLoader(), new Class<?>[] {Logger.class}, calls);
    }

    private static @Nullable Object call(Logger logger, Method method, Object @Nullable [] arguments) {
        try {
            return method.invoke(logger, arguments);
        } catch (Throwable e) {
            return withoutException(logger, method, arguments);
        }
    }

    private static @Nullable Object withoutException(Logger logger, Method method, Object @Nullable [] arguments) {
        try {
            return method.invoke(logger, plain(arguments));
        } catch (Throwable e) {
            return method.getReturnType() == boolean.class ? Boolean.FALSE : null;
        }
    }

    private static Object @Nullable [] plain(Object @Nullable [] arguments) {
        if (arguments == null) {
            return null;
        }
        Object[] plain = arguments.clone();
        for (int i = 0; i < plain.length; i++) {
            plain[i] = plain[i] instanceof Object[] several
                    ? plain(several)
                    : plain[i] instanceof Throwable failure ? Failure.untellable(failure, failure) : plain[i];
        }
        return plain;
    }
}
