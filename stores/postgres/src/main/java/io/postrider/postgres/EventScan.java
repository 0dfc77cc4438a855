package io.postrider.postgres;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Search;
import io.postrider.postgres.SearchSegments.SearchSegment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks through the log by falling position, segment by segment, and stops when the page is full, when it has looked at
 * {@link Search#EXAMINED_MAX} events, or when it has looked into {@link #SEGMENTS_MAX} segments. In a segment that is
 * indexed it looks by the most selective attribute that is given; in one that is not, through everything.
 *
 * <p>Positions and times go together but for neighbours, whose appends overlapped. So the index on times only says
 * between which positions to look.
 */
final class EventScan {
    /** Segments that one call looks into: each costs a statement or two, also where it has nothing. */
    static final int SEGMENTS_MAX = 200;
    /**
     * Segments whose indexes are asked for at first, and then twice as many each time: most pages end in the newest.
     */
    private static final int SEGMENTS_AT_FIRST = 8;
    /** How far times may be out of the order of positions, where no index on times says it better. */
    private static final Duration SKEW = Duration.ofSeconds(1);
    /** Neighbours in time of which the furthest position counts: more than appends overlap. */
    private static final int NEIGHBOURS = 1_000;

    /** A key alone decides on its lane. */
    private static final EventId ANY = new EventId(new UUID(0, 0));
    /** The lanes of a subscription, read once. */
    private static final String CURSORS = "WITH c AS MATERIALIZED (SELECT * FROM {cursors_and_filters}(?)) ";

    private final Jdbc jdbc;
    private final Connection connection;
    private final Query query;
    private final List<Search.Hit> hits = new ArrayList<>();
    private int budget = Search.EXAMINED_MAX;
    private boolean ended;
    private Search.@Nullable Bookmark next;

    /**
     * What is looked for.
     *
     * @param standing joins and conditions about where an event stands, or none
     * @param subscription the parameter of {@code standing}
     * @param below positions below this one
     * @param above positions above this one
     */
    record Query(
            EventFilter filter,
            Conditions conditions,
            String standing,
            @Nullable String subscription,
            long below,
            long above,
            int limit) {
        static Query of(EventFilter filter, Search.@Nullable Bookmark after, int limit) {
            long below = after == null ? Long.MAX_VALUE : after.below().value();
            return new Query(filter, Conditions.of(filter), "", null, below, 0, limit);
        }

        Query standing(String standing, String subscription, long above) {
            return new Query(filter, conditions, standing, subscription, below, above, limit);
        }
    }

    /** Positions from {@code from} to {@code below}, exclusive. */
    private record Range(long from, long below) {
        boolean isEmpty() {
            return from >= below;
        }
    }

    EventScan(Jdbc jdbc, Connection connection, Query query) {
        this.jdbc = jdbc;
        this.connection = connection;
        this.query = query;
    }

    Search.Found page() throws SQLException {
        SearchSegments segments = new SearchSegments(jdbc);
        long below = query.below();
        int left = SEGMENTS_MAX;
        for (int some = SEGMENTS_AT_FIRST; !ended && left > 0; some *= 2) {
            List<SearchSegment> next = segments.below(connection, below, Math.min(some, left));
            if (next.isEmpty()) {
                break;
            }
            for (SearchSegment segment : next) {
                lookAboveTheFloor(segment);
            }
            left -= next.size();
            below = next.get(next.size() - 1).from();
        }
        if (!ended && left == 0 && !segments.below(connection, below, 1).isEmpty()) {
            end(below);
        }
        return new Search.Found(hits, next);
    }

    private void lookAboveTheFloor(SearchSegment segment) throws SQLException {
        if (segment.to() <= query.above() + 1) {
            ended = true;
        }
        if (!ended) {
            lookUnlessDropped(segment);
        }
    }

    /** Of one segment alone. */
    Search.Found page(SearchSegment segment) throws SQLException {
        lookUnlessDropped(segment);
        return new Search.Found(hits, next);
    }

    private void lookUnlessDropped(SearchSegment segment) throws SQLException {
        try {
            look(segment);
        } catch (SQLException e) {
            if (!ServerError.isUndefinedTable(e)) {
                throw e;
            }
        }
    }

    private void look(SearchSegment segment) throws SQLException {
        Range range = range(segment);
        if (ended || range.isEmpty()) {
            return;
        }
        Optional<Conditions.Condition> lead = query.conditions().lead(segment);
        Conditions rest = lead.map(query.conditions()::without).orElse(query.conditions());
        String source = source(segment, range, lead);
        int wanted = query.limit() - hits.size();
        List<StoredEvent> found = read(source, lead, rest, wanted);
        found.forEach(event -> hits.add(new Search.Hit(event, null)));
        if (found.size() == wanted) {
            end(found.get(wanted - 1).position().value());
        } else if (rest.any() || !query.standing().isEmpty()) {
            charge(source, lead, segment);
        }
    }

    private void end(long below) {
        ended = true;
        next = new Search.Bookmark(new Position(below));
    }

    // ---- which positions --------------------------------------------------------------------------------------------

    private Range range(SearchSegment segment) throws SQLException {
        long from = Math.max(segment.from(), query.above() + 1);
        long below = Math.min(segment.to(), query.below());
        Instant since = query.filter().from();
        Instant until = query.filter().until();
        if (!segment.has(SearchIndex.TIME) || (since == null && until == null)) {
            return new Range(from, below);
        }
        if (until != null) {
            below = Math.min(below, 1 + at(segment, "max", "<", until, "DESC", -1));
        }
        if (since != null) {
            from = Math.max(from, at(segment, "min", ">=", since, "ASC", Long.MAX_VALUE));
            // All of it is older, and so is all that follows.
            ended |= from == Long.MAX_VALUE;
        }
        return new Range(from, below);
    }

    private long at(SearchSegment segment, String furthest, String comparison, Instant time, String order, long none)
            throws SQLException {
        String sql = jdbc.sql("""
                SELECT %s(position) FROM (
                    SELECT position FROM {%s} WHERE appended_at %s ? ORDER BY appended_at %s LIMIT %d) AS near
                """.formatted(furthest, segment.name(), comparison, order, NEIGHBOURS));
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setObject(1, Conditions.time(time));
            try (ResultSet row = select.executeQuery()) {
                row.next();
                long position = row.getLong(1);
                return row.wasNull() ? none : position;
            }
        }
    }

    // ---- what is looked at ------------------------------------------------------------------------------------------

    /** So many events of a segment by falling position, as one call may still look at. */
    private String source(SearchSegment segment, Range range, Optional<Conditions.Condition> lead) throws SQLException {
        String positions = " AND o.position < %d AND o.position >= %d ORDER BY o.position DESC LIMIT %d"
                .formatted(range.below(), range.from(), budget);
        String events = "SELECT o.* FROM {" + segment.name() + "} o WHERE ";
        if (lead.isPresent()) {
            return events + lead.get().sql() + positions;
        }
        String key = query.filter().key();
        if (key != null) {
            return events + "o.lane = " + Lane.of(key, ANY, jdbc.lanes().count(connection)) + positions;
        }
        // There is no index on positions alone; this merges those of the lanes.
        return IntStream.range(0, jdbc.lanes().count(connection))
                .mapToObj(lane -> "(" + events + "o.lane = " + lane + positions + ")")
                .collect(Collectors.joining(" UNION ALL ", "", " ORDER BY position DESC LIMIT " + budget));
    }

    private List<StoredEvent> read(String source, Optional<Conditions.Condition> lead, Conditions rest, int wanted)
            throws SQLException {
        String sql = jdbc.sql((query.standing().isEmpty() ? "" : CURSORS) + "SELECT " + Rows.EVENT + " FROM (" + source
                + ") o " + query.standing() + (query.standing().isEmpty() ? " WHERE true" : "") + rest.sql()
                + " ORDER BY o.position DESC LIMIT " + wanted);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            int parameter = 1;
            if (query.subscription() != null) {
                select.setString(parameter++, query.subscription());
            }
            if (lead.isPresent()) {
                select.setObject(parameter++, lead.get().value());
            }
            rest.bind(select, parameter);
            List<StoredEvent> events = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    events.add(Rows.shown(row, 1));
                }
            }
            return events;
        }
    }

    /** Counts what was looked at in vain; the page ends if that was all a call may look at. */
    private void charge(String source, Optional<Conditions.Condition> lead, SearchSegment segment) throws SQLException {
        String sql = jdbc.sql("SELECT count(*), min(o.position), max(o.appended_at) FROM (" + source + ") o");
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            if (lead.isPresent()) {
                select.setObject(1, lead.get().value());
            }
            try (ResultSet row = select.executeQuery()) {
                row.next();
                boolean cut = row.getInt(1) == budget;
                budget -= row.getInt(1);
                Instant since = query.filter().from();
                OffsetDateTime newest = row.getObject(3, OffsetDateTime.class);
                if (cut && since != null && newest != null && newest.toInstant().isBefore(since.minus(SKEW))) {
                    ended = true;
                } else if (cut) {
                    end(row.getLong(2));
                } else if (budget == 0) {
                    end(segment.from());
                }
            }
        }
    }
}
