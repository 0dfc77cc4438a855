package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import io.postrider.postgres.SearchSegments.SearchSegment;
import io.postrider.store.FilterText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What became of an event: from its delivery row if it has one, otherwise from the cursor of its lane. */
final class PostgresStory {
    /** Events of a lane ahead of one that are counted; beyond it, they are estimated from positions. */
    private static final int COUNTED_MAX = 1_000;

    /** One row for each subscription, with all that decides where the event stands in it. */
    private static final String STANDINGS = """
            SELECT s.name, s.filter, l.owner, n.lease_until, c.reached,
                {handled}(e.position, e.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned),
                coalesce({handled}(e.position, e.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL), false),
                {settled_at}(s.name, e.lane, e.position, e.xid),
                (SELECT a.at FROM {attempt} a WHERE a.position = e.position AND a.subscription = s.name
                   AND a.at >= s.created_at AND a.outcome = 'discarded' ORDER BY a.at DESC LIMIT 1),
                d.changed_at, coalesce(d.owner, CASE WHEN d.lease_until IS NULL THEN l.owner END),
                s.paused, j.filter, j.taken,
                """ + Rows.DELIVERY + """

            FROM (SELECT ?::smallint AS lane, ?::bigint AS position, ?::text::xid8 AS xid, ?::text AS type) e
            CROSS JOIN {subscription} s
            JOIN {lane} l ON l.subscription = s.name AND l.lane = e.lane
            JOIN {cursors}(?::text, ?::smallint) c ON c.subscription = s.name AND c.lane = e.lane
            CROSS JOIN LATERAL {judged}(s.name, e.lane, e.position, e.xid, e.type) j
            LEFT JOIN {node} n ON n.id = l.owner
            LEFT JOIN {delivery_row} d ON d.subscription = s.name AND d.lane = e.lane AND d.position = e.position
            WHERE ?::text IS NULL OR s.name = ?
            ORDER BY s.name
            """;

    private static final int DELIVERY_FROM = 15;

    private final Jdbc jdbc;

    /** An event, and the transaction that appended it; null where only a delivery row has it. */
    private record Logged(StoredEvent event, @Nullable String xid) {}

    /** Where the event stands in one subscription, as its row says. */
    private record Row(
            String subscription,
            String filter,
            @Nullable String owner,
            @Nullable Instant leaseUntil,
            long reached,
            boolean handled,
            boolean beforeStart,
            @Nullable Instant settledAt,
            @Nullable Instant discardedAt,
            @Nullable Instant since,
            @Nullable String node,
            boolean paused,
            String filterOfThen,
            boolean taken,
            @Nullable Delivery delivery) {}

    PostgresStory(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    Optional<Story> tell(Connection connection, EventId id) throws SQLException {
        Logged logged = find(connection, id);
        if (logged == null) {
            return Optional.empty();
        }
        List<Story.Standing> standings = new ArrayList<>();
        for (Row row : rows(connection, logged, null)) {
            List<Story.Attempt> attempts = attempts(connection, logged.event(), row.subscription());
            standings.add(new Story.Standing(
                    row.subscription(), why(connection, logged.event(), row).whereItIs(row.paused()), attempts));
        }
        return Optional.of(new Story(logged.event(), standings));
    }

    Why why(Connection connection, String subscription, EventId id) throws SQLException {
        Logged logged = find(connection, id);
        if (logged == null) {
            return new Why.Unknown("the event " + id);
        }
        List<Row> rows = rows(connection, logged, subscription);
        return rows.isEmpty()
                ? new Why.Unknown("the subscription '" + subscription + "'")
                : why(connection, logged.event(), rows.get(0))
                        .whereItIs(rows.get(0).paused());
    }

    /** Where the newest event with this id is, in the log or in a delivery row that has outlived it there. */
    Optional<Position> position(Connection connection, EventId id) throws SQLException {
        return Optional.ofNullable(find(connection, id))
                .map(logged -> logged.event().position());
    }

    /** The newest event with this id. */
    @Nullable
    StoredEvent event(Connection connection, EventId id) throws SQLException {
        Logged logged = find(connection, id);
        return logged == null ? null : logged.event();
    }

    // ---- the event --------------------------------------------------------------------------------------------------

    /**
     * Where there is an index first: the rest has to be read through. A segment without one may have a newer event of
     * the same id, so those above what was found are read too: the open one, and what was closed a moment ago.
     */
    private @Nullable Logged find(Connection connection, EventId id) throws SQLException {
        List<SearchSegment> segments = new SearchSegments(jdbc).list(connection).segments();
        Logged indexed = newest(connection, segments.stream().filter(each -> each.has(SearchIndex.ID)), id);
        long above = indexed == null ? 0 : indexed.event().position().value();
        Logged newer = newest(
                connection, segments.stream().filter(each -> !each.has(SearchIndex.ID) && each.from() > above), id);
        if (newer != null || indexed != null) {
            return newer != null ? newer : indexed;
        }
        String kept = "(SELECT *, NULL::timestamptz AS deliver_at FROM {delivery_row}) o"
                + " WHERE o.id = ? AND o.payload IS NOT NULL";
        return find(connection, kept, "NULL", id);
    }

    private @Nullable Logged newest(Connection connection, Stream<SearchSegment> newestFirst, EventId id)
            throws SQLException {
        for (SearchSegment segment : newestFirst.toList()) {
            Logged found = find(connection, "{" + segment.name() + "} o WHERE o.id = ?", "o.xid::text", id);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable Logged find(Connection connection, String from, String xid, EventId id) throws SQLException {
        String sql =
                jdbc.sql("SELECT " + Rows.EVENT + ", " + xid + " FROM " + from + " ORDER BY o.position DESC LIMIT 1");
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setObject(1, id.value());
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? new Logged(Rows.shown(row, 1), row.getString(Rows.EVENT_COLUMNS + 1)) : null;
            }
        }
    }

    // ---- where it stands --------------------------------------------------------------------------------------------

    private List<Row> rows(Connection connection, Logged logged, @Nullable String subscription) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(STANDINGS))) {
            select.setInt(1, logged.event().lane().number());
            select.setLong(2, logged.event().position().value());
            select.setString(3, logged.xid());
            select.setString(4, logged.event().type());
            select.setString(5, subscription);
            select.setInt(6, logged.event().lane().number());
            select.setString(7, subscription);
            select.setString(8, subscription);
            List<Row> rows = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows.add(row(row));
                }
            }
            return rows;
        }
    }

    private static Row row(ResultSet row) throws SQLException {
        row.getLong(DELIVERY_FROM);
        Delivery delivery = row.wasNull() ? null : Rows.delivery(row, DELIVERY_FROM);
        return new Row(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                time(row, 4),
                row.getLong(5),
                row.getBoolean(6),
                row.getBoolean(7),
                time(row, 8),
                time(row, 9),
                time(row, 10),
                row.getString(11),
                row.getBoolean(12),
                row.getString(13),
                row.getBoolean(14),
                delivery);
    }

    private static @Nullable Instant time(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private Why why(Connection connection, StoredEvent event, Row row) throws SQLException {
        Delivery delivery = row.delivery();
        if (delivery != null) {
            return Why.of(delivery, comesFirst(connection, row.subscription(), delivery), row.since(), row.node());
        } else if (row.discardedAt() != null) {
            return new Why.Discarded(row.discardedAt());
        } else if (row.beforeStart()) {
            return new Why.BeforeStart();
        } else if (Why.onlyFor(event, row.subscription()).isPresent()) {
            return new Why.OnlyFor(Why.onlyFor(event, row.subscription()).get());
        } else if (row.handled()) {
            return new FilterText(row.filterOfThen()).settled(event, row.taken(), row.settledAt());
        } else if (!new FilterText(row.filter()).takes(event.type())) {
            return new Why.NotMatched(row.filter());
        } else if (event.position().value() <= row.reached()) {
            return new Why.NotYetRead(event.lane(), row.owner(), row.leaseUntil());
        }
        return new Why.Behind(event.lane(), ahead(connection, event, row), row.owner(), row.leaseUntil());
    }

    /** Whether a row of {@code delivery} keeps its key from going on: it is dead, and nobody has decided about it. */
    static String blocksItsKey(String row) {
        return """
                %1$s.status = 'dead' AND NOT %1$s.released AND EXISTS (SELECT FROM {subscription} b
                    WHERE b.name = %1$s.subscription AND b.filter || ' ' LIKE '%% %2$s %%')
                """.formatted(row, FilterText.STAYS_BLOCKED).strip();
    }

    /**
     * An earlier row of its key that waits; or, where the first that waits was never tried and is due, one that is dead
     * and that all of them wait for.
     */
    private @Nullable Delivery comesFirst(Connection connection, String subscription, Delivery row)
            throws SQLException {
        if (row.key() == null || row.status() != Delivery.Status.WAITING) {
            return null;
        }
        Delivery waits = first(connection, subscription, row, "d.status IN ('waiting', 'running')");
        Delivery next = waits != null ? waits : row;
        if (next.wasTried() || next.status() != Delivery.Status.WAITING) {
            return waits;
        }
        Delivery dead =
                first(connection, subscription, next, blocksItsKey("d") + " AND now() >= '" + next.dueAt() + "'");
        return dead != null ? dead : waits;
    }

    private @Nullable Delivery first(Connection connection, String subscription, Delivery row, String condition)
            throws SQLException {
        String sql = jdbc.sql("SELECT " + Rows.DELIVERY
                + " FROM {delivery} d WHERE d.subscription = ? AND d.key = ?"
                + " AND d.position < ? AND d.lease_until IS NULL AND " + condition + " ORDER BY d.position LIMIT 1");
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, subscription);
            select.setString(2, row.key());
            select.setLong(3, row.position().value());
            try (ResultSet found = select.executeQuery()) {
                return found.next() ? Rows.delivery(found, 1) : null;
            }
        }
    }

    private long ahead(Connection connection, StoredEvent event, Row row) throws SQLException {
        String sql = jdbc.sql("""
                SELECT count(*) FILTER (WHERE position < ?) FROM {events_after}(?::smallint, ?, ?)
                """);
        long between = event.position().value() - row.reached() - 1;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, event.position().value());
            select.setInt(2, event.lane().number());
            select.setLong(3, row.reached());
            select.setInt(4, COUNTED_MAX);
            try (ResultSet counted = select.executeQuery()) {
                counted.next();
                long ahead = counted.getLong(1);
                return ahead < COUNTED_MAX
                        ? ahead
                        : Math.max(ahead, between / jdbc.lanes().count(connection));
            }
        }
    }

    private static final String ATTEMPTS = """
            SELECT a.attempt, a.outcome, a.error, a.node, a.at, a.stack
            FROM {attempt} a JOIN {subscription} s ON s.name = a.subscription
            WHERE a.position = ? AND a.subscription = ? AND a.at >= s.created_at ORDER BY a.at
            """;

    private List<Story.Attempt> attempts(Connection connection, StoredEvent event, String subscription)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(jdbc.sql(ATTEMPTS))) {
            select.setLong(1, event.position().value());
            select.setString(2, subscription);
            List<Story.Attempt> attempts = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    attempts.add(new Story.Attempt(
                            row.getInt(1),
                            Story.Ending.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
                            row.getString(3),
                            row.getString(4),
                            row.getObject(5, OffsetDateTime.class).toInstant(),
                            row.getString(6)));
                }
            }
            return attempts;
        }
    }
}
