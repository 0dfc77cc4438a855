package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Delivery;
import io.postrider.policy.Schedule;
import io.postrider.store.Claim;
import io.postrider.text.JsonObject;
import io.postrider.text.JsonTree;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Result rows to values. */
final class Rows {
    /** The first and the last time that are kept; what lies beyond stands for “always” and for “never”. */
    static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    /** An event's columns, in the order {@link #event} reads them; {@code o} is the log or what stands for it. */
    static final String EVENT = "o.position, o.lane, o.id, o.type, o.key, o.payload, o.headers, o.tenant, "
            + micros("o.appended_at") + ", CASE WHEN coalesce(o.deliver_at, o.expires_at) IS NOT NULL"
            + " OR o.priority IS NOT NULL THEN concat(" + micros("o.deliver_at") + ", '/', "
            + micros("o.expires_at")
            + ", '/', o.priority) END";
    /** A delivery's columns, in the order {@link #delivery} reads them; {@code d} is the table. */
    static final String DELIVERY = "d.position, d.id, d.type, d.key, d.status, d.attempt, " + micros("d.due_at")
            + ", d.suspect, d.error, " + micros("d.expires_at") + ", coalesce(d.priority, 0), d.behind";

    static final int EVENT_COLUMNS = 10;
    static final int DELIVERY_COLUMNS = 12;
    /** The header under which headers come that cannot be read. */
    static final String UNREADABLE = "postrider-unreadable-headers";

    private Rows() {}

    /** Whether an event, read from the first column on, came without its payload because of its size. */
    static boolean hasNoPayload(ResultSet row) throws SQLException {
        row.getBytes(6);
        return row.wasNull();
    }

    static StoredEvent event(ResultSet row, int first) throws SQLException {
        return new StoredEvent(
                new Position(row.getLong(first)),
                new Lane(row.getInt(first + 1)),
                new EventId(row.getObject(first + 2, UUID.class)),
                row.getString(first + 3),
                row.getString(first + 4),
                row.getString(first + 5),
                headers(row.getString(first + 6)),
                row.getString(first + 7),
                instant(row.getLong(first + 8)),
                schedule(row.getString(first + 9)));
    }

    /** A row and its event, read from the first column on; what is wrong with either is its defect. */
    static Claim.ClaimedDelivery claimed(ResultSet row, Lane lane) throws SQLException {
        Delivery delivery = delivery(row, 1);
        row.getLong(DELIVERY_COLUMNS + 1);
        if (row.wasNull()) {
            return Claim.ClaimedDelivery.defective(delivery, lane, Claim.ClaimedDelivery.GONE);
        }
        try {
            return new Claim.ClaimedDelivery(delivery, event(row, DELIVERY_COLUMNS + 1));
        } catch (RuntimeException e) {
            return Claim.ClaimedDelivery.defective(delivery, lane, defect(e));
        }
    }

    /** Why no event can be made of a row. */
    static String defect(RuntimeException failure) {
        return "the log has an event here that cannot be read: " + failure;
    }

    /** What can always be read of an event, whatever is wrong with the rest. */
    static StoredEvent outline(ResultSet row, int first) throws SQLException {
        String payload = row.getString(first + 5);
        return new StoredEvent(
                new Position(row.getLong(first)),
                new Lane(row.getInt(first + 1)),
                new EventId(row.getObject(first + 2, UUID.class)),
                row.getString(first + 3),
                row.getString(first + 4),
                payload == null ? "null" : payload,
                headers(row.getString(first + 6)),
                row.getString(first + 7),
                instant(row.getLong(first + 8)));
    }

    /** An event for people to look at: as much of it as can be read. */
    static StoredEvent shown(ResultSet row, int first) throws SQLException {
        try {
            return event(row, first);
        } catch (RuntimeException e) {
            return outline(row, first);
        }
    }

    static Delivery delivery(ResultSet row, int first) throws SQLException {
        return new Delivery(
                        new Position(row.getLong(first)),
                        new EventId(row.getObject(first + 1, UUID.class)),
                        row.getString(first + 2),
                        row.getString(first + 3),
                        Delivery.Status.valueOf(row.getString(first + 4).toUpperCase(Locale.ROOT)),
                        row.getInt(first + 5),
                        instant(row.getLong(first + 6)),
                        row.getBoolean(first + 7),
                        row.getString(first + 8),
                        new Schedule(null, nullableInstant(row, first + 9), priority(row.getInt(first + 10))))
                .behind(row.getBoolean(first + 11));
    }

    /** A row must always be readable, whatever was written into it by hand. */
    private static int priority(int stored) {
        return Math.max(-Schedule.PRIORITY_MAX, Math.min(stored, Schedule.PRIORITY_MAX));
    }

    /** Most events have none, and then there is nothing to take apart. */
    private static Schedule schedule(@Nullable String text) {
        if (text == null) {
            return Schedule.NONE;
        }
        String[] parts = text.split("/", -1);
        return new Schedule(
                parts[0].isEmpty() ? null : instant(Long.parseLong(parts[0])),
                parts[1].isEmpty() ? null : instant(Long.parseLong(parts[1])),
                parts[2].isEmpty() ? 0 : Integer.parseInt(parts[2]));
    }

    private static @Nullable Instant nullableInstant(ResultSet row, int column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : instant(micros);
    }

    static @Nullable Instant time(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** A time as PostgreSQL reads it; one that is out of its reach is the farthest that both sides know. */
    static @Nullable String text(@Nullable Instant time) {
        if (time == null) {
            return null;
        }
        Instant within = time.isBefore(EARLIEST) ? EARLIEST : time.isAfter(LATEST) ? LATEST : time;
        return within.atOffset(ZoneOffset.UTC).toString();
    }

    /** PostgreSQL's text has no NUL, and an exception's message may. */
    static @Nullable String withoutNul(@Nullable String error) {
        return error == null ? null : error.replace('\0', '\uFFFD');
    }

    /**
     * A time in microseconds, by an expression that never fails: an infinite one, or one whose year has not four
     * digits, becomes the last or the first that has. A statement that failed for one row would hold up all others.
     */
    private static String micros(String time) {
        return "CASE WHEN " + time + " BETWEEN '0001-01-01Z' AND '9999-12-31Z'"
                + " THEN (date_part('epoch', " + time + ") * 1000000)::bigint"
                + " WHEN " + time + " > '9999-12-31Z' THEN " + LATEST.getEpochSecond() + "000000"
                + " WHEN " + time + " < '0001-01-01Z' THEN " + EARLIEST.getEpochSecond() + "000000 END";
    }

    static String status(Delivery.Status status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    static String json(Headers headers) {
        return json(headers.values());
    }

    static String json(Map<String, String> values) {
        return values.isEmpty() ? "{}" : JsonObject.of(values);
    }

    static Headers headers(String json) {
        if (json.equals("{}")) {
            return Headers.NONE;
        }
        Object read;
        try {
            read = JsonTree.read(json);
        } catch (IllegalArgumentException e) {
            // PostgreSQL takes more for JSON than we do; the event is delivered all the same.
            return new Headers(Map.of(UNREADABLE, json.length() <= 1_000 ? json : json.substring(0, 1_000)));
        }
        return read instanceof Map<?, ?> members ? readable(members) : Headers.NONE;
    }

    /** Older logs took names that are none: such headers are left out. */
    private static Headers readable(Map<?, ?> members) {
        Map<String, String> values = new LinkedHashMap<>();
        members.forEach((key, value) -> {
            String name = String.valueOf(key);
            if (Headers.isName(name) && !value.equals(JsonTree.Literal.NULL)) {
                values.put(name, value instanceof String text ? text : JsonObject.written(value));
            }
        });
        return new Headers(values);
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L);
    }
}
