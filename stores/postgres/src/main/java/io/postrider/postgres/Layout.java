package io.postrider.postgres;

import io.postrider.postgres.Segments.Segment;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which tables have which positions of the log, as this node knows it. Reads name the tables they need, because a plan
 * for any values on the log itself locks every segment there is, each time it is run.
 *
 * <p>What is known may be old, and that does no harm: where it ends before a position that was asked for, it is looked
 * up anew. A segment keeps its positions for as long as it exists; one that was dropped is an error that says so; what
 * lies between the segments or behind the last one is read from the log itself, with the bounds in the text, so that
 * PostgreSQL leaves out the others when it plans. Thread-safe.
 */
final class Layout {
    /** Segments that one statement names at most, and so, with some indexes for each, what it locks. */
    static final int NAMED_MAX = 16;

    private final Jdbc jdbc;
    private final Segments segments;
    private volatile List<Part> parts = List.of();

    /** Positions {@code from} to {@code to}, exclusive, and what to write behind FROM to have them. */
    record Part(String source, long from, long to) {}

    Layout(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.segments = new Segments(jdbc, "event_log", "event_position", 1);
    }

    void refresh() {
        jdbc.autocommit(connection -> {
            refresh(connection);
            return true;
        });
    }

    void refresh(Connection connection) throws SQLException {
        // Read first: what is drawn meanwhile is behind the last part, and leads to another refresh.
        long next = segments.next(connection);
        refresh(next, segments.list(connection));
    }

    /**
     * Segments ahead of the sequence are part of what follows the open one, until a position of them was drawn.
     *
     * @param next read before the segments were listed
     */
    void refresh(long next, List<Segment> segments) {
        List<Part> known = new ArrayList<>();
        long end = 0;
        for (Segment segment : segments) {
            if (segment.emptied() || segment.from() > next) {
                continue;
            }
            if (end > 0 && end < segment.from()) {
                known.add(between(end, segment.from()));
            }
            known.add(new Part("{" + segment.name() + "}", segment.from(), segment.to()));
            end = segment.to();
        }
        if (end <= next) {
            known.add(between(Math.max(end, 1), Long.MAX_VALUE));
        }
        parts = List.copyOf(known);
    }

    private static Part between(long from, long to) {
        return new Part(
                "(SELECT * FROM {event_log} WHERE position >= %d AND position < %d)".formatted(from, to), from, to);
    }

    /** All parts, as they are now. */
    List<Part> newestFirst(Connection connection) throws SQLException {
        refresh(connection);
        List<Part> all = new ArrayList<>(parts);
        Collections.reverse(all);
        return all;
    }

    /**
     * Parts with positions above {@code after} and up to {@code upTo}, by position: as many as one statement names, and
     * one more if there are more.
     */
    List<Part> parts(long after, long upTo) {
        // A cursor that another node has moved can be in a segment that this node has not heard of. A late event of
        // that segment would be lost: the next cursor remembers to have looked.
        if (parts.isEmpty() || (upTo < Long.MAX_VALUE && upTo > end(parts))) {
            refresh();
        }
        List<Part> known = parts;
        List<Part> found = new ArrayList<>();
        for (int i = firstAbove(known, after);
                i < known.size() && known.get(i).from() <= upTo && found.size() <= NAMED_MAX;
                i++) {
            found.add(known.get(i));
        }
        return found;
    }

    /** There may be thousands, and this is asked with each read. */
    private static int firstAbove(List<Part> known, long after) {
        int low = 0;
        int high = known.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (known.get(middle).to() - 1 > after) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** The positions of these parts as a table. */
    static String table(List<Part> parts) {
        if (parts.isEmpty()) {
            return "(SELECT * FROM {event_log} WHERE false)";
        }
        return parts.size() == 1
                ? parts.get(0).source()
                : parts.stream()
                        .map(part -> "SELECT * FROM " + part.source() + " p")
                        .collect(Collectors.joining(" UNION ALL ", "(", ")"));
    }

    /** The last position of these parts. */
    static long end(List<Part> parts) {
        return parts.get(parts.size() - 1).to() - 1;
    }

    /** The first of them, as many as one statement names. */
    static List<Part> named(List<Part> parts) {
        return parts.size() <= NAMED_MAX ? parts : parts.subList(0, NAMED_MAX);
    }
}
