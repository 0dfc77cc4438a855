package io.postrider.postgres;

import io.postrider.EventFilter;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A filter as conditions in SQL, the most selective first; {@code o} is the event. */
record Conditions(List<Condition> all) {

    /** One of them, and the index by which it is found. */
    record Condition(String sql, Object value, SearchIndex index) {}

    Conditions {
        all = List.copyOf(all);
    }

    static Conditions of(EventFilter filter) {
        List<Condition> all = new ArrayList<>();
        add(all, "{header}(o.headers, 'correlationId') = ?", filter.correlationId(), SearchIndex.CORRELATION);
        add(all, "o.key = ?", filter.key(), SearchIndex.KEY);
        add(all, "{header}(o.headers, 'userId') = ?", filter.userId(), SearchIndex.USER);
        add(all, "o.tenant = ?", filter.tenant(), SearchIndex.TENANT);
        add(all, "o.type = ?", filter.type(), SearchIndex.TYPE);
        add(all, "o.appended_at >= ?", time(filter.from()), SearchIndex.TIME);
        add(all, "o.appended_at < ?", time(filter.until()), SearchIndex.TIME);
        return new Conditions(all);
    }

    private static void add(List<Condition> all, String sql, @Nullable Object value, SearchIndex index) {
        if (value != null) {
            all.add(new Condition(sql, value, index));
        }
    }

    static @Nullable OffsetDateTime time(@Nullable Instant time) {
        return time == null ? null : time.atOffset(ZoneOffset.UTC);
    }

    /** The one to look by in a segment: the first that has its index there. Times are no attribute to look by. */
    Optional<Condition> lead(SearchSegments.SearchSegment segment) {
        return all.stream()
                .filter(each -> each.index() != SearchIndex.TIME && segment.has(each.index()))
                .findFirst();
    }

    Conditions without(Condition one) {
        return new Conditions(all.stream().filter(each -> each != one).toList());
    }

    boolean any() {
        return !all.isEmpty();
    }

    /** Whether any needs more of an event than its type and key, which delivery rows have. */
    boolean needEvent() {
        return all.stream().anyMatch(each -> each.index() != SearchIndex.TYPE && each.index() != SearchIndex.KEY);
    }

    /** Each with an AND before it. */
    String sql() {
        StringBuilder sql = new StringBuilder();
        all.forEach(each -> sql.append(" AND ").append(each.sql()));
        return sql.toString();
    }

    int bind(PreparedStatement select, int first) throws SQLException {
        int next = first;
        for (Condition each : all) {
            select.setObject(next++, each.value());
        }
        return next;
    }
}
