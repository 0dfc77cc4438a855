package io.postrider.tck;

import io.postrider.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** The ports of a store, for those who stand between it and its node. */
public final class StorePorts {
    private static final String OURS = Store.class.getPackageName().replaceFirst("\\.[^.]+$", ".");

    private StorePorts() {}

    /** A call of a port that may be changed on its way. */
    public interface Way {
        Object travel(Method method, Call call) throws Throwable;
    }

    /** The call itself. */
    public interface Call {
        Object now() throws Throwable;

        Object[] arguments();
    }

    /** Whether a method of a store names one of its ports, which takes no time; any other is a call. */
    public static boolean isPort(Method method) {
        Class<?> type = method.getReturnType();
        return method.getDeclaringClass().isAssignableFrom(Store.class)
                && method.getParameterCount() == 0
                && type.isInterface()
                && type.getName().startsWith(OURS);
    }

    /** Whether a call is this one of this port: several ports have a {@code claim} or a {@code settle}. */
    public static boolean is(Method method, Class<?> port, String name) {
        return method.getDeclaringClass() == port && method.getName().equals(name);
    }

    /** The store, each call of whose ports goes this way. */
    @SuppressWarnings("unchecked")
    public static <T> Store<T> of(Store<T> store, Way way) {
        return (Store<T>) on(
                Store.class,
                store,
                (accessor, port) -> isPort(accessor) ? on(accessor.getReturnType(), port.now(), way) : port.now());
    }

    /** One port, each call of which goes this way. */
    public static Object on(Class<?> port, Object target, Way way) {
        return Proxy.newProxyInstance(
                StorePorts.class.getClassLoader(),
                new Class<?>[] {port},
                (proxy, method, arguments) -> way.travel(method, new Call() {
                    @Override
                    public Object now() throws Throwable {
                        try {
                            return method.invoke(target, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }

                    @Override
                    public Object[] arguments() {
                        return arguments == null ? new Object[0] : arguments;
                    }
                }));
    }
}
