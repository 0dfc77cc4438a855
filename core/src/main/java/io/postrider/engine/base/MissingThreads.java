package io.postrider.engine.base;

import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/** That there is no thread for something: said once when it begins, and once when it is over. Thread-safe. */
public final class MissingThreads {
    private static final Logger LOG = Logs.of(MissingThreads.class);

    private final String whose;
    private final AtomicBoolean missing = new AtomicBoolean();

    public MissingThreads(String whose) {
        this.whose = whose;
    }

    public void missing(Throwable failure) {
        if (missing.compareAndSet(false, true)) {
            LOG.error("There is no thread for {}; it waits, and tries again", whose, Failure.tellable(failure));
        }
    }

    public void found() {
        if (missing.get() && missing.compareAndSet(true, false)) {
            LOG.info("There are threads for {} again", whose);
        }
    }
}
