package io.postrider.kafka;

import java.util.Locale;

/** How the producer compresses what it sends together. */
public enum Compression {
    NONE,
    GZIP,
    SNAPPY,
    LZ4,
    ZSTD;

    /** What Kafka calls it. */
    String setting() {
        return name().toLowerCase(Locale.ROOT);
    }
}
