package io.postrider.postgres;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.operate.Chain;
import io.postrider.operate.Delivery;
import io.postrider.operate.Search;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Search: the log by {@link EventScan}, delivery rows here, stories by {@link PostgresStory}. */
final class PostgresSearch implements Search {
    /** Delivery rows of which the event has to be fetched to look at it, at most in one call. */
    private static final int JOINED_MAX = 1_000;

    private static final String PENDING = """
            JOIN c ON c.lane = o.lane
            WHERE o.type ~ c.pattern
              AND coalesce({header}(o.headers, 'onlyFor'), c.subscription) = c.subscription
              AND NOT {handled}(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
            """;

    private static final String DELIVERED = """
            JOIN c ON c.lane = o.lane
            WHERE (CASE WHEN c.changed_to IS NULL OR o.position > c.changed_to THEN o.type ~ c.pattern
                  ELSE {taken}(c.subscription, o.lane, o.position, o.xid, o.type) END
                AND coalesce({header}(o.headers, 'onlyFor'), c.subscription) = c.subscription
                AND coalesce((SELECT a.outcome FROM {own_attempt} a
                    WHERE a.position = o.position AND a.subscription = c.subscription
                      AND a.outcome IN ('delivered', 'skipped')
                    ORDER BY a.at DESC LIMIT 1), 'delivered') = 'delivered')
              AND {handled}(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
              AND {handled}(o.position, o.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL) IS NOT TRUE
              AND NOT EXISTS (SELECT FROM {delivery} d
                  WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
              AND NOT EXISTS (SELECT FROM {dead_events} e
                  WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
              AND NOT EXISTS (SELECT FROM {own_attempt} a
                  WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded')
            """;

    private static final String SKIPPED = DELIVERED.replace("WHERE (CASE", "WHERE NOT (CASE");

    private static final String COMES_FIRST = """
            EXISTS (SELECT FROM {delivery} e
                WHERE e.subscription = d.subscription AND e.key = d.key AND e.position < d.position
                  AND e.lease_until IS NULL AND (e.status IN ('waiting', 'running')
                    OR %s AND d.attempt = 0 AND d.error IS NULL AND d.due_at <= now()))
            """.formatted(PostgresStory.blocksItsKey("e"));

    private final Jdbc jdbc;
    private final PostgresStory stories;
    private final KnownSubscriptions known;

    PostgresSearch(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.known = new KnownSubscriptions(jdbc);
        this.stories = new PostgresStory(jdbc);
    }

    @Override
    public Found events(EventFilter filter, @Nullable Bookmark after, int limit) {
        EventScan.Query query = EventScan.Query.of(filter, after, Search.requirePage(limit));
        return jdbc.repeatable(connection -> new EventScan(jdbc, connection, query).page());
    }

    @Override
    public Found deliveries(String subscription, State state, EventFilter filter, @Nullable Bookmark after, int limit) {
        EventScan.Query query = EventScan.Query.of(filter, after, Search.requirePage(limit));
        known.require(subscription);
        return jdbc.repeatable(connection -> switch (state) {
            case PENDING -> logged(connection, query, subscription, PENDING);
            case DELIVERED -> logged(connection, query, subscription, DELIVERED);
            case SKIPPED -> logged(connection, query, subscription, SKIPPED);
            case BLOCKED -> rows(connection, query, subscription, "waiting", " AND " + COMES_FIRST);
            case WAITING -> rows(connection, query, subscription, "waiting", " AND NOT " + COMES_FIRST);
            case READY -> rows(connection, query, subscription, "ready", "");
            case RUNNING -> rows(connection, query, subscription, "running", "");
            case DEAD -> rows(connection, query, subscription, "dead", "");
            case EXPIRED -> rows(connection, query, subscription, "expired", "");
        });
    }

    /** Nothing is pending at or below the lowest floor; a subscription without one is unknown. */
    private Found logged(Connection connection, EventScan.Query query, String subscription, String standing)
            throws SQLException {
        String sql = jdbc.sql("SELECT min(floor) FROM {cursors}(?)");
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, subscription);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                long floor = row.getLong(1);
                if (row.wasNull()) {
                    return new Found(List.of(), null);
                }
                long above = standing.equals(PENDING) ? floor : 0;
                return new EventScan(jdbc, connection, query.standing(standing, subscription, above)).page();
            }
        }
    }

    // ---- delivery rows ----------------------------------------------------------------------------------------------

    private Found rows(
            Connection connection, EventScan.Query query, String subscription, String status, String condition)
            throws SQLException {
        Conditions conditions = query.conditions();
        int examined = conditions.needEvent() ? JOINED_MAX : EXAMINED_MAX;
        String source = "SELECT * FROM {delivery_row} WHERE subscription = ? AND status = '" + status
                + "' AND position < " + query.below() + " ORDER BY position DESC LIMIT " + examined;
        String filter = conditions.sql().replace("o.type", "d.type").replace("o.key", "d.key");
        String page = " WHERE true" + condition + filter + " ORDER BY d.position DESC LIMIT " + query.limit();
        String sql = jdbc.sql(conditions.needEvent() ? eventsFirst(source, page) : rowsFirst(source, page));
        List<Hit> hits = new ArrayList<>();
        int shown = 0;
        Position last = Position.ZERO;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, subscription);
            conditions.bind(select, 2);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    Delivery delivery = Rows.delivery(row, Rows.EVENT_COLUMNS + 1);
                    last = delivery.position();
                    shown++;
                    row.getLong(1);
                    if (!row.wasNull()) {
                        hits.add(new Hit(Rows.shown(row, 1), delivery));
                    }
                }
            }
        }
        return shown == query.limit()
                ? new Found(hits, new Bookmark(last))
                : new Found(hits, behind(connection, source, subscription, examined));
    }

    private static String eventsFirst(String source, String page) {
        return "WITH d AS MATERIALIZED (" + source + ") SELECT " + Rows.EVENT + ", " + Rows.DELIVERY + " FROM d "
                + PostgresClaim.EVENT_OF_ROW + page;
    }

    /** Fetches the events of the page alone. A row whose event is lost takes its place there, and is not told. */
    private static String rowsFirst(String source, String page) {
        return "WITH d AS MATERIALIZED (SELECT * FROM (" + source + ") d" + page + ") SELECT " + Rows.EVENT + ", "
                + Rows.DELIVERY + " FROM d " + PostgresClaim.EVENT_IF_ANY + " ORDER BY d.position DESC";
    }

    /** Where the rows end that were looked at, unless there were no more. */
    private @Nullable Bookmark behind(Connection connection, String source, String subscription, int examined)
            throws SQLException {
        String sql = jdbc.sql("SELECT count(*), min(d.position) FROM (" + source + ") d");
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, subscription);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1) < examined ? null : new Bookmark(new Position(row.getLong(2)));
            }
        }
    }

    // ---- stories ----------------------------------------------------------------------------------------------------

    @Override
    public Optional<Story> story(EventId id) {
        return jdbc.repeatable(connection -> stories.tell(connection, id));
    }

    @Override
    public Why why(String subscription, EventId id) {
        return jdbc.repeatable(connection -> stories.why(connection, subscription, id));
    }

    @Override
    public Chain chain(String correlationId) {
        return jdbc.repeatable(connection -> new ChainScan(jdbc, connection, correlationId).chain());
    }
}
