package io.postrider.tck;

import io.postrider.store.Store;
import java.lang.reflect.Method;

/** The ports of a store, for those who stand between it and its node. */
public final class Ports {
    private static final String OURS = Store.class.getPackageName().replaceFirst("\\.[^.]+$", ".");

    private Ports() {}

    /** Whether a method of a store names one of its ports, which takes no time; any other is a call. */
    public static boolean isPort(Method method) {
        Class<?> type = method.getReturnType();
        return method.getParameterCount() == 0
                && type.isInterface()
                && type.getName().startsWith(OURS);
    }
}
