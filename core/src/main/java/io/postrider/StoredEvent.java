package io.postrider;

import io.postrider.policy.Schedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An event as the log has it: with its position and lane, the payload as JSON text. */
public record StoredEvent(
        Position position,
        Lane lane,
        EventId id,
        String type,
        @Nullable String key,
        String payload,
        Headers headers,
        @Nullable String tenant,
        Instant appendedAt,
        Schedule schedule) {

    /** An event without a schedule: due at once, never expiring. */
    public StoredEvent(
            Position position,
            Lane lane,
            EventId id,
            String type,
            @Nullable String key,
            String payload,
            Headers headers,
            @Nullable String tenant,
            Instant appendedAt) {
        this(position, lane, id, type, key, payload, headers, tenant, appendedAt, Schedule.NONE);
    }

    /** A copy with this schedule. */
    public StoredEvent schedule(Schedule schedule) {
        return new StoredEvent(position, lane, id, type, key, payload, headers, tenant, appendedAt, schedule);
    }

    /** What must stay in order: the key, or the event alone where it has none. */
    public Object orderKey() {
        return key != null ? key : id;
    }
}
