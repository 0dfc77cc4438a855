package io.postrider.postgres;

import io.postrider.Lane;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Where and how a store keeps its tables, and how it starts.
 *
 * @param schema several can live in one database, each an installation of its own
 * @param segmentSize positions in a segment: what prune drops at once
 * @param migrate whether a start changes the schema, checks it, or leaves it alone
 * @param startWait how long a start waits for a PostgreSQL that does not answer; zero fails at once
 * @param lanes how many lanes a log gets that a start creates, 4 to 256, 16 where this is left out; a log that has
 *     another number is refused
 */
public record PostgresStoreConfig(
        String schema, long segmentSize, Migrate migrate, Duration startWait, OptionalInt lanes) {
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,40}");

    public static final PostgresStoreConfig DEFAULT =
            new PostgresStoreConfig("postrider", 1_000_000, Migrate.APPLY, Duration.ZERO, OptionalInt.empty());

    /** What is received from elsewhere, in a log of its own beside the default one. */
    public static final PostgresStoreConfig INBOX = DEFAULT.schema("postrider_inbox");

    public PostgresStoreConfig {
        if (!NAME.matcher(schema).matches()) {
            throw new IllegalArgumentException(
                    "a schema's name has lower-case letters, digits and underscores, at most 41, got '" + schema + "'");
        }
        if (segmentSize < 1) {
            throw new IllegalArgumentException("segmentSize is at least 1, got " + segmentSize);
        }
        Objects.requireNonNull(migrate, "migrate is APPLY, VALIDATE or NEVER, got null");
        if (startWait.isNegative()) {
            throw new IllegalArgumentException("startWait is zero or longer, got " + startWait);
        }
        lanes.ifPresent(Lane::requireCount);
    }

    /** What people and metrics call its log: the outbox and the inbox by these names, any other by its schema's. */
    String log() {
        if (schema.equals(DEFAULT.schema)) {
            return "outbox";
        }
        return schema.equals(INBOX.schema) ? "inbox" : schema;
    }

    public PostgresStoreConfig schema(String schema) {
        return new PostgresStoreConfig(schema, segmentSize, migrate, startWait, lanes);
    }

    public PostgresStoreConfig segmentSize(long segmentSize) {
        return new PostgresStoreConfig(schema, segmentSize, migrate, startWait, lanes);
    }

    public PostgresStoreConfig migrate(Migrate migrate) {
        return new PostgresStoreConfig(schema, segmentSize, migrate, startWait, lanes);
    }

    public PostgresStoreConfig startWait(Duration startWait) {
        return new PostgresStoreConfig(schema, segmentSize, migrate, startWait, lanes);
    }

    public PostgresStoreConfig lanes(int lanes) {
        return new PostgresStoreConfig(schema, segmentSize, migrate, startWait, OptionalInt.of(lanes));
    }

    /** How many lanes a log gets that is made with this configuration. */
    int lanesOfNewLog() {
        return lanes.orElse(Lane.COUNT_DEFAULT);
    }
}
