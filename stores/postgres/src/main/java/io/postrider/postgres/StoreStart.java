package io.postrider.postgres;

import io.postrider.store.StoreException;
import java.math.BigDecimal;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The start of a store: the schema is migrated, compared or left alone, and a PostgreSQL that is away waited for. */
final class StoreStart {
    private static final Logger LOG = LoggerFactory.getLogger(StoreStart.class);

    private final PostgresMigrator migrator;
    private final PostgresStoreConfig config;

    StoreStart(Jdbc jdbc, PostgresStoreConfig config) {
        this(jdbc, config, Migration.known());
    }

    StoreStart(Jdbc jdbc, PostgresStoreConfig config, List<Migration> known) {
        this.migrator = new PostgresMigrator(jdbc, config, known);
        this.config = config;
    }

    /** Each try begins anew: what one has migrated the next finds done. */
    void run() {
        long began = System.nanoTime();
        for (boolean first = true; ; first = false) {
            try {
                open();
                return;
            } catch (StoreException e) {
                Duration waited = Duration.ofNanos(System.nanoTime() - began);
                if (!isAway(e) || waited.compareTo(config.startWait()) >= 0) {
                    throw waited(e, waited);
                }
                if (first) {
                    LOG.warn(
                            "PostgreSQL does not answer; this start waits up to {} for it: {}",
                            seconds(config.startWait()),
                            e.getMessage());
                }
                Backoff.pause();
            }
        }
    }

    private void open() {
        switch (config.migrate()) {
            case APPLY -> migrator.apply();
            case VALIDATE -> migrator.validate();
            case NEVER -> LOG.debug("Schema '{}' is not looked at: this store was told never to", config.schema());
        }
    }

    private StoreException waited(StoreException e, Duration waited) {
        if (!isAway(e)) {
            return e;
        }
        String tried = config.startWait().isZero()
                ? "This start does not wait for PostgreSQL; PostgresStoreConfig.startWait makes it"
                : "This start has waited for " + seconds(waited);
        String said = String.valueOf(e.getMessage());
        return new StoreException(said + (said.endsWith(".") ? " " : ". ") + tried, e);
    }

    /** Such as {@code 3 s} or {@code 0.3 s}. */
    static String seconds(Duration duration) {
        BigDecimal seconds = BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros();
        return (seconds.signum() == 0 ? "0" : seconds.toPlainString()) + " s";
    }

    /** Whether time may mend it: a wrong password or a missing database stays. */
    private static boolean isAway(StoreException e) {
        String state = Jdbc.state(e);
        boolean refused = state.startsWith("28") || state.equals("3D000"); // also where a pool tells it as its time-out
        return !refused
                && (state.startsWith("08")
                        || state.startsWith("57P")
                        || state.equals("53300")
                        || Jdbc.cause(e)
                                .filter(SQLTransientConnectionException.class::isInstance)
                                .isPresent());
    }
}
