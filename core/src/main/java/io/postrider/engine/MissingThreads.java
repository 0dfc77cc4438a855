package io.postrider.engine;

import io.postrider.Failure;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** That there is no thread for something: said once when it begins, and once when it is over. Thread-safe. */
final class MissingThreads {
    private static final Logger LOG = LoggerFactory.getLogger(MissingThreads.class);

    private final String whose;
    private final AtomicBoolean missing = new AtomicBoolean();

    MissingThreads(String whose) {
        this.whose = whose;
    }

    void missing(Throwable failure) {
        if (missing.compareAndSet(false, true)) {
            LOG.error("There is no thread for {}; it waits, and tries again", whose, Failure.tellable(failure));
        }
    }

    void found() {
        if (missing.get() && missing.compareAndSet(true, false)) {
            LOG.info("There are threads for {} again", whose);
        }
    }
}
