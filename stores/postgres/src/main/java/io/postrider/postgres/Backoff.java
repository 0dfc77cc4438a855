package io.postrider.postgres;

import io.postrider.store.StoreException;
import java.time.Duration;

/** A pause of a thread that starts a store. */
final class Backoff {
    private static final Duration PAUSE = Duration.ofMillis(200);

    private Backoff() {}

    static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("the start of the store was interrupted", e);
        }
    }
}
