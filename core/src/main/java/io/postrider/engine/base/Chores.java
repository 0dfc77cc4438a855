package io.postrider.engine.base;

import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Work that is done now and then, each piece for itself: one that fails, for whatever reason, is said once for each
 * reason, is tried again the next time, and holds up no other. By one thread at a time.
 */
public final class Chores {
    private static final Logger LOG = Logs.of(Chores.class);

    private final Outage outage;
    private final Map<String, String> failing = new HashMap<>();

    public Chores(Outage outage) {
        this.outage = outage;
    }

    /** @param consequence what follows as long as it fails, which also names it */
    public void run(String consequence, Runnable chore) {
        try {
            chore.run();
            failing.remove(consequence);
        } catch (Throwable e) {
            Throwable told = Failure.tellable(e);
            if (!told.toString().equals(failing.put(consequence, told.toString()))) {
                tell(consequence, told);
            }
        }
    }

    /** That the store does not answer has been told with its stack; upkeep may fail with it where nothing else does. */
    private void tell(String consequence, Throwable failure) {
        if (failure instanceof StoreException && outage.isDown()) {
            LOG.warn(
                    "Upkeep has failed: until it succeeds, {}. It is tried again: {}", consequence, failure.toString());
        } else {
            LOG.warn("Upkeep has failed: until it succeeds, {}. It is tried again", consequence, failure);
        }
    }
}
