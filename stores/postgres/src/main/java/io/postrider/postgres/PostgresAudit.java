package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.operate.Audit;
import io.postrider.operate.By;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** Audit: reads what the statements of operators have written. */
final class PostgresAudit implements Audit {
    private final Jdbc jdbc;

    PostgresAudit(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** Who, why, action and details: four parameters of a statement that writes an entry. */
    static void bind(Parameters write, By by, Action action, Map<String, String> details) throws SQLException {
        write.text(by.who()).text(by.why()).text(name(action)).text(Rows.json(details));
    }

    static String name(Action action) {
        return action.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public List<Entry> entries(Query query, long before, int limit) {
        List<String> conditions = new ArrayList<>(List.of("number < ?"));
        List<Object> values = new ArrayList<>(List.of(before));
        if (query.subscription() != null) {
            conditions.add("subscription = ?");
            values.add(query.subscription());
        }
        if (query.action() != null) {
            conditions.add("action = ?");
            values.add(name(query.action()));
        }
        if (query.who() != null) {
            conditions.add("who = ?");
            values.add(query.who());
        }
        if (query.operation() != null) {
            conditions.add("operation = ?");
            values.add(query.operation());
        }
        if (query.event() != null) {
            conditions.add("(event = ? OR operation = ANY (ARRAY(SELECT operation FROM {decided} WHERE event = ?)))");
            values.add(query.event().value());
            values.add(query.event().value());
        }
        return entries(String.join(" AND ", conditions), values, limit);
    }

    private List<Entry> entries(String conditions, List<Object> values, int limit) {
        String sql = jdbc.sql("""
                SELECT number, at, who, why, action, subscription, position, event, operation, details
                FROM {audit} WHERE %s ORDER BY number DESC LIMIT ?
                """.formatted(conditions));
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                Parameters parameters = new Parameters(select);
                for (Object value : values) {
                    parameters.object(value);
                }
                parameters.number(limit);
                List<Entry> entries = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        entries.add(entry(row));
                    }
                }
                return entries;
            }
        });
    }

    private static Entry entry(ResultSet row) throws SQLException {
        Long position = row.getObject(7, Long.class);
        UUID event = row.getObject(8, UUID.class);
        return new Entry(
                row.getLong(1),
                row.getObject(2, OffsetDateTime.class).toInstant(),
                new By(row.getString(3), row.getString(4)),
                Action.valueOf(row.getString(5).toUpperCase(Locale.ROOT)),
                row.getString(6),
                position == null ? null : new Position(position),
                event == null ? null : new EventId(event),
                row.getObject(9, Long.class),
                Rows.headers(row.getString(10)).values());
    }
}
