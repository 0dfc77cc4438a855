package io.postrider.kafka;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits that fail, whichever consumer makes them: told once when that begins, and once when it is over. Thread-safe.
 */
final class CommitTrouble {
    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    private final String source;
    private final String group;
    private boolean lasts;

    CommitTrouble(String source, String group) {
        this.source = source;
        this.group = group;
    }

    synchronized void failed(Exception failure) {
        if (lasts) {
            log.debug("Kafka source {} could not commit again: {}", source, Failure.words(failure));
            return;
        }
        lasts = true;
        log.warn(
                "Kafka source {} cannot commit; everything since the last commit comes again after a restart or a"
                        + " rebalance. If that lasts while messages come, grant its user READ on the group '{}': {}",
                source,
                group,
                Failure.words(failure));
    }

    synchronized void succeeded() {
        if (lasts) {
            lasts = false;
            log.info("Kafka source {} can commit again", source);
        }
    }
}
