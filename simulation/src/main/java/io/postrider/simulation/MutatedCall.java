package io.postrider.simulation;

import io.postrider.store.Settle;
import io.postrider.store.Settlement;
import io.postrider.tck.StorePorts;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A call of the store that a mutation may change. */
final class MutatedCall {
    private final MutatedLanes lanes;
    private final Object target;
    private final Method method;
    private final Object @Nullable [] arguments;
    private @Nullable Object answer;

    /** @param target the store, or one of its ports */
    MutatedCall(MutatedLanes lanes, Object target, Method method, Object @Nullable [] arguments) {
        this.lanes = lanes;
        this.target = target;
        this.method = method;
        this.arguments = arguments;
    }

    MutatedLanes lanes() {
        return lanes;
    }

    Object[] arguments() {
        return arguments == null ? new Object[0] : arguments;
    }

    boolean is(Class<?> port, String name) {
        return StorePorts.is(method, port, name);
    }

    boolean isSettle() {
        return is(Settle.class, "settle");
    }

    Settlement settlement() {
        return (Settlement) arguments()[0];
    }

    @Nullable
    Object proceed() throws Throwable {
        return with(arguments());
    }

    @Nullable
    Object with(Object... others) throws Throwable {
        try {
            answer = method.invoke(target, others);
            return answer;
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Nullable
    Object answer() {
        return answer;
    }
}
