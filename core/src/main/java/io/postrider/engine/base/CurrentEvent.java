package io.postrider.engine.base;

import io.postrider.EventContext;
import org.jspecify.annotations.Nullable;

/** The event that the calling thread handles, so that what it appends can name its cause. */
public final class CurrentEvent {
    private static final ThreadLocal<@Nullable EventContext> CURRENT = new ThreadLocal<>();

    private CurrentEvent() {}

    public static @Nullable EventContext get() {
        return CURRENT.get();
    }

    public static void set(EventContext context) {
        CURRENT.set(context);
    }

    public static void clear() {
        CURRENT.remove();
    }
}
