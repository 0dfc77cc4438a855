package io.postrider.postgres;

import io.postrider.EventFilter;
import io.postrider.Position;
import io.postrider.operate.Operation;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What an operation is about, in SQL: as the columns of table {@code operation}, and as a condition on rows. */
final class Targets {
    /** The columns, in the order {@link #bind} binds and {@link #target} reads them. */
    static final String COLUMNS = "subscription, states, type, key, tenant, user_id, correlation_id, appended_from,"
            + " appended_until, error_contains, reprocessed_below, from_position, to_position";

    static final int COLUMN_COUNT = 13;

    /** A row with these columns, of parameters. */
    static final String ROW = """
            SELECT ?::text AS subscription, ?::text[] AS states, ?::text AS type, ?::text AS key, ?::text AS tenant,
                ?::text AS user_id, ?::text AS correlation_id, ?::timestamptz AS appended_from,
                ?::timestamptz AS appended_until, ?::text AS error_contains, ?::int AS reprocessed_below,
                ?::bigint AS from_position, ?::bigint AS to_position
            """;

    /**
     * Whether a delivery row {@code d} is what {@code h}, which has these columns, is about. The event is looked up
     * only where the filter asks for something that rows do not have.
     */
    static final String MATCHES = """
            (h.type IS NULL OR d.type = h.type) AND (h.key IS NULL OR d.key = h.key)
            AND (h.error_contains IS NULL OR strpos(d.error, h.error_contains) > 0)
            AND (h.reprocessed_below IS NULL OR d.reprocessed < h.reprocessed_below)
            AND (h.from_position IS NULL OR d.position >= h.from_position)
            AND (h.to_position IS NULL OR d.position <= h.to_position)
            AND ((h.tenant IS NULL AND h.user_id IS NULL AND h.correlation_id IS NULL
                  AND h.appended_from IS NULL AND h.appended_until IS NULL)
                OR EXISTS (
                    SELECT FROM (
                        SELECT e.tenant, e.headers, e.appended_at FROM {event_at}(
                            d.lane, CASE WHEN d.payload IS NULL THEN d.position END) e
                        UNION ALL
                        SELECT d.tenant, d.headers, d.appended_at WHERE d.payload IS NOT NULL
                    ) o
                    WHERE (h.tenant IS NULL OR o.tenant = h.tenant)
                      AND (h.user_id IS NULL OR {header}(o.headers, 'userId') = h.user_id)
                      AND (h.correlation_id IS NULL OR {header}(o.headers, 'correlationId') = h.correlation_id)
                      AND (h.appended_from IS NULL OR o.appended_at >= h.appended_from)
                      AND (h.appended_until IS NULL OR o.appended_at < h.appended_until)))
            """;

    /** All rows that {@code h} is about. */
    static final String ROWS = """
            FROM h JOIN {delivery} d ON d.subscription = h.subscription AND d.status = ANY (h.states)
            WHERE\s""" + MATCHES;

    private Targets() {}

    static void bind(Parameters write, Operation.Target target) throws SQLException {
        EventFilter filter = target.filter();
        write.text(target.subscription())
                .texts(target.states().stream().map(Targets::name).toList())
                .text(filter.type())
                .text(filter.key())
                .text(filter.tenant())
                .text(filter.userId())
                .text(filter.correlationId())
                .time(filter.from())
                .time(filter.until())
                .text(target.errorContains())
                .integer(target.reprocessedBelow())
                .number(value(target.range().from()))
                .number(value(target.range().to()));
    }

    private static @Nullable Long value(@Nullable Position position) {
        return position == null ? null : position.value();
    }

    static String name(Operation.Standing standing) {
        return standing.name().toLowerCase(Locale.ROOT);
    }

    static Operation.Target target(ResultSet row, int first) throws SQLException {
        EventFilter filter = new EventFilter(
                row.getString(first + 2),
                row.getString(first + 3),
                row.getString(first + 4),
                row.getString(first + 5),
                row.getString(first + 6),
                Rows.time(row, first + 7),
                Rows.time(row, first + 8));
        return new Operation.Target(
                row.getString(first),
                states(row, first + 1),
                filter,
                new Operation.Range(position(row, first + 11), position(row, first + 12)),
                row.getString(first + 9),
                row.getObject(first + 10, Integer.class));
    }

    private static @Nullable Position position(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : new Position(value);
    }

    private static Set<Operation.Standing> states(ResultSet row, int column) throws SQLException {
        return texts(row, column).stream()
                .map(text -> Operation.Standing.valueOf(text.toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet());
    }

    static List<String> texts(ResultSet row, int column) throws SQLException {
        return Arrays.asList((String[]) row.getArray(column).getArray());
    }
}
