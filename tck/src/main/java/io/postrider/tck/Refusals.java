package io.postrider.tck;

import io.postrider.store.Store.Limitation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Runs the other answer of a test where the store declares that it cannot do what is tested. */
final class Refusals implements InvocationInterceptor {

    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        intercept(test, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        intercept(test, context);
    }

    private static void intercept(Invocation<Void> test, ExtensionContext context) throws Throwable {
        StoreCase<?> tested = (StoreCase<?>) context.getRequiredTestInstance();
        Optional<Limitation> limitation = declared(tested);
        if (limitation.isPresent()) {
            test.skip();
            tested.assertRefused(limitation.get());
        } else {
            test.proceed();
        }
    }

    private static Optional<Limitation> declared(StoreCase<?> tested) {
        RefusedWith refused = tested.getClass().getAnnotation(RefusedWith.class);
        return refused == null
                ? Optional.empty()
                : Arrays.stream(refused.value()).filter(tested::declares).findFirst();
    }
}
