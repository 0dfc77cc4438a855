package io.postrider.embedded;

import org.jspecify.annotations.Nullable;

/** Ends a temporary server together with this process; a kept one is stopped by whoever started it. */
final class ShutdownHook {

    private @Nullable Thread thread;

    synchronized void add(Runnable action) {
        thread = new Thread(action, "embedded-postgres-stop");
        Runtime.getRuntime().addShutdownHook(thread);
    }

    synchronized void remove() {
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // The process is ending already and runs its hooks; this one will find nothing left to do.
        }
        thread = null;
    }
}
