package io.postrider.kafka;

import java.util.Locale;

/** How the producer compresses what it sends together. */
public enum Compression {
    NONE,
    GZIP,
    SNAPPY,
    LZ4,
    ZSTD;

    /** Kafka's name for it. */
    String setting() {
        return name().toLowerCase(Locale.ROOT);
    }
}
