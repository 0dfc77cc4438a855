package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.postgres.Layout.Part;
import io.postrider.store.Ownership;
import io.postrider.store.StoreException;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.store.snapshot.SnapshotPage;
import io.postrider.store.snapshot.SnapshotRead;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log without losing or stalling.
 *
 * <h2>The problem</h2>
 *
 * <p>A position is drawn from a sequence inside a transaction that commits at any later time. Reading "everything after
 * the last position" therefore loses what commits late. Waiting until no older transaction runs
 * ({@code pg_snapshot_xmin}) loses nothing, but one long transaction anywhere in the cluster stalls every reader.
 * Ordering by transaction id inverts the order within a key. Waiting for a while does either, depending on how long.
 *
 * <h2>What holds</h2>
 *
 * <p>A {@link SnapshotCursor} remembers not how far a read got but what it <em>could see</em>: its snapshot. A row that
 * was not visible then and is visible now is new, wherever its position lies. Such a row is
 *
 * <ol>
 *   <li><b>fresh</b>, at a position above the cursor's, found in the order of {@code (lane, position)}; or
 *   <li><b>late</b>, at or below it: its transaction had drawn the position and not yet committed. Then its xid was in
 *       progress in the old snapshot, or at or above that snapshot's xmax. The second half is the trap: xmax is one
 *       past the latest <em>completed</em> xid, so a transaction that already runs may lie above it and not be listed
 *       as in progress. Found in the order of {@code (lane, xid)}.
 * </ol>
 *
 * <p>The late set would be unbounded above but for the order in which the log assigns: a transaction has its xid
 * <em>before</em> it draws a position (the CASE in the column's default). So whoever had drawn a position by the time
 * of a read has an xid below any that is assigned afterwards. Each read draws one, the <b>bound</b>, after its last
 * SELECT; the late set ends there, and stays small although all the backlog is above xmax.
 *
 * <p>The <b>head</b> is the last position that was drawn, read before the bound is drawn: every position up to it was
 * drawn by an xid below the bound. A read that found everything moves the cursor there, not only to its last event.
 *
 * <p>The <b>floor</b> keeps the late search out of old segments: see {@link SnapshotCursor}.
 *
 * <h2>How</h2>
 *
 * <p>All statements of a read share one REPEATABLE READ transaction, sent in a single round trip. They name the
 * segments they look at ({@link Layout}), one as a rule, and are planned once for all reads of those
 * ({@link Planning}). It takes no lock but those of a SELECT on these. The xid it draws makes no WAL flush, because
 * nothing was written.
 *
 * <p>After crash recovery, positions and xids that were not yet durable are handed out again. A settlement is durable
 * only after everything its snapshot saw, so a stored cursor stays right; one in memory does not. The incarnation token
 * tells: recovery empties its unlogged table.
 */
final class PostgresRead {
    /**
     * The last position that was drawn. Not the sequence's own column: every 32 positions PostgreSQL puts there, for a
     * moment, the value from which it would go on after a crash, and a SELECT takes no lock that would hide it. A
     * cursor that moved to such a head would lose the next 32 events.
     */
    static final String HEAD = "coalesce(pg_sequence_last_value('{event_position}'), 0)";

    /** Texts that are kept: of the parts that were read last. */
    private static final int TEXTS_MAX = 256;

    private final Jdbc jdbc;
    private final Statements small;
    private final Statements large;
    private final Layout layout;
    private final StableHorizon horizon;

    PostgresRead(Jdbc jdbc, Layout layout, StableHorizon horizon) {
        this.jdbc = jdbc;
        this.layout = layout;
        this.horizon = horizon;
        this.small = new Statements(jdbc, PostgresRead::small);
        this.large = new Statements(jdbc, PostgresRead::large);
    }

    /** The text of a read, by what it looks for. */
    static final class Statements {
        private static final String BEGIN = """
                BEGIN ISOLATION LEVEL REPEATABLE READ;
                SELECT pg_current_snapshot()::text, (SELECT token FROM {incarnation}), %s, %s;
                """.formatted(HEAD, Planning.ONCE);
        /**
         * Always by the index on {@code (lane, xid)}, whatever the planner knows of a young segment. Transactions that
         * are still in progress are left out before their rows are looked at: a long one may have a great many. Two
         * branches, because an OR has no index of its own. An upper bound that no index can use, because without
         * statistics a range of positions looks as small as one of xids, and here it is the lane down to the floor.
         */
        static final String LATE = """
                FROM (
                    SELECT e.* FROM unnest(?::text[]::xid8[]) AS finished (xid) CROSS JOIN LATERAL (
                        SELECT * FROM {event_log} p
                        WHERE lane = ? AND position > ? AND position + 0 <= ? AND xid = finished.xid
                        OFFSET 0
                    ) e
                    WHERE pg_visible_in_snapshot(finished.xid, pg_current_snapshot())
                    UNION ALL
                    SELECT * FROM {event_log} p
                    WHERE lane = ? AND position > ? AND position + 0 <= ? AND xid >= ?::xid8 AND xid < ?::xid8
                ) o
                WHERE ?::pg_snapshot IS NULL OR pg_visible_in_snapshot(o.xid, ?::pg_snapshot)
                ORDER BY o.position LIMIT ?
                """;

        static final String FRESH = """
                FROM {event_log} o WHERE o.lane = ? AND o.position > ? ORDER BY o.position LIMIT ?
                """;
        /** Those that an earlier snapshot sees. */
        static final String FRESH_AS_OF =
                FRESH.replace("ORDER BY", "AND pg_visible_in_snapshot(o.xid, ?::pg_snapshot) ORDER BY");

        private static final String END = """
                SELECT CASE WHEN ? < %s THEN pg_current_xact_id()::text END;
                COMMIT
                """.formatted(HEAD);

        private final Jdbc jdbc;
        private final UnaryOperator<String> limited;
        private final Map<List<Object>, String> texts = new ConcurrentHashMap<>();

        Statements(Jdbc jdbc, UnaryOperator<String> limited) {
            this.jdbc = jdbc;
            this.limited = limited;
        }

        /** The same text for the same parts, so that the driver and PostgreSQL prepare it once. */
        String text(Sought sought) {
            if (texts.size() >= TEXTS_MAX) {
                texts.clear();
            }
            boolean asOf = sought.asOf() != null;
            return texts.computeIfAbsent(
                    List.of(sought.late(), sought.fresh(), asOf),
                    parts -> jdbc.sql(BEGIN
                            + (sought.withLate() ? in(sought.late(), LATE) : "")
                            + (sought.withFresh() ? in(sought.fresh(), asOf ? FRESH_AS_OF : FRESH) : "")
                            + END));
        }

        private String in(List<Part> parts, String rows) {
            return limited.apply(rows).replace("{event_log}", Layout.table(parts));
        }
    }

    /**
     * Where one statement looks; where there is no part, it does not look for such events.
     *
     * @param after fresh events are those after this position
     * @param asOf fresh events are those that this snapshot sees too
     */
    record Sought(
            List<Part> late,
            List<Part> fresh,
            long after,
            @Nullable Snapshot asOf) {
        static Sought late(List<Part> late) {
            return new Sought(late, List.of(), 0, null);
        }

        boolean withLate() {
            return !late.isEmpty();
        }

        boolean withFresh() {
            return !fresh.isEmpty();
        }
    }

    /**
     * Rows of which each is at most its share of the bytes; a larger one comes without its payload and ends the page.
     * Costs half of {@link #large}, and most events are small.
     */
    static String small(String rows) {
        String payload = "CASE WHEN o.bytes <= ? THEN o.payload END";
        return "SELECT " + Rows.EVENT.replace("o.payload", payload) + ", o.bytes, 0 " + rows + ";\n";
    }

    /** Rows up to a number of bytes, but always one; the last column says how many there are without that limit. */
    static String large(String rows) {
        return "SELECT " + Rows.EVENT
                + ", o.bytes, o.found FROM (SELECT l.*, ?::bigint AS most, count(*) OVER () AS found,"
                + " sum(l.bytes) OVER (ORDER BY l.position) AS total FROM (SELECT o.* " + rows
                + ") l) o WHERE o.total <= o.most OR o.total = o.bytes ORDER BY o.position;\n";
    }

    SnapshotPage read(Ownership ownership, SnapshotCursor cursor, int maxEvents, long maxBytes) {
        long stable = horizon.position(ownership.incarnation());
        return new ReadWalk(this, layout, stable, new Request(ownership, maxEvents, maxBytes)).page(cursor);
    }

    /** Whose events, and how many. */
    record Request(Ownership ownership, int maxEvents, long maxBytes) {}

    /** Reads in these parts, in one snapshot. */
    SnapshotRead read(Request request, SnapshotCursor cursor, Sought sought) {
        return read(small, request.maxBytes() / request.maxEvents(), request, cursor, sought)
                .or(() -> read(large, request.maxBytes(), request, cursor, sought))
                .orElseThrow();
    }

    /** Empty if the first event does not fit the statement's limit of bytes. */
    private Optional<SnapshotRead> read(
            Statements statements, long bytes, Request request, SnapshotCursor cursor, Sought sought) {
        String text = statements.text(sought);
        return jdbc.autocommit(connection -> RoundTrip.make(connection, text, trip -> {
            PreparedStatement select = trip.parameters();
            int next = 1;
            if (sought.withLate()) {
                next = bindLate(select, next, bytes, request.ownership(), cursor, request.maxEvents());
            }
            if (sought.withFresh()) {
                next = bindFresh(select, next, bytes, request, sought);
            }
            select.setLong(next, cursor.position());
            return new Answer(trip, request.ownership(), cursor, request.maxEvents(), request.maxBytes())
                    .page(sought.withLate(), sought.withFresh());
        }));
    }

    private static int bindLate(
            PreparedStatement select, int first, long bytes, Ownership ownership, SnapshotCursor cursor, int maxEvents)
            throws SQLException {
        String pinned = cursor.late() == null ? null : cursor.late().pinned().toString();
        int lane = ownership.lane().number();
        select.setLong(first, bytes);
        select.setString(first + 1, array(cursor.snapshot().inProgress()));
        select.setInt(first + 2, lane);
        select.setLong(first + 3, cursor.lateAfter());
        select.setLong(first + 4, cursor.position());
        select.setInt(first + 5, lane);
        select.setLong(first + 6, cursor.lateAfter());
        select.setLong(first + 7, cursor.position());
        select.setString(first + 8, Long.toString(cursor.snapshot().xmax()));
        select.setString(first + 9, Long.toString(cursor.bound()));
        select.setString(first + 10, pinned);
        select.setString(first + 11, pinned);
        select.setInt(first + 12, maxEvents);
        return first + 13;
    }

    private static int bindFresh(PreparedStatement select, int first, long bytes, Request request, Sought sought)
            throws SQLException {
        select.setLong(first, bytes);
        select.setInt(first + 1, request.ownership().lane().number());
        select.setLong(first + 2, sought.after());
        int next = first + 3;
        if (sought.asOf() != null) {
            select.setString(next++, sought.asOf().toString());
        }
        select.setInt(next, request.maxEvents());
        return next + 1;
    }

    /** The text form of an array of xids. */
    static String array(List<Long> xids) {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < xids.size(); i++) {
            text.append(i == 0 ? "" : ",").append(xids.get(i));
        }
        return text.append('}').toString();
    }

    /** The results of one read, in the order its statements were sent. */
    private static final class Answer {
        private final RoundTrip trip;
        private final Ownership ownership;
        private final SnapshotCursor cursor;
        private final int maxEvents;
        private final long maxBytes;
        private final Map<Position, String> defects = new HashMap<>(0);

        Answer(RoundTrip trip, Ownership ownership, SnapshotCursor cursor, int maxEvents, long maxBytes) {
            this.trip = trip;
            this.ownership = ownership;
            this.cursor = cursor;
            this.maxEvents = maxEvents;
            this.maxBytes = maxBytes;
        }

        Optional<SnapshotRead> page(boolean withLate, boolean withFresh) throws SQLException {
            Snapshot snapshot;
            long head;
            try (ResultSet seen = trip.next()) {
                seen.next();
                snapshot = Snapshot.parse(seen.getString(1));
                requireSameIncarnation(seen.getString(2));
                head = seen.getLong(3);
            }
            Read late = withLate ? events() : Read.NOTHING;
            Read fresh = withFresh ? events() : Read.NOT_LOOKED;
            long bound = bound();
            boolean firstIsLarge = late.startsLarge() || (late.events().isEmpty() && fresh.startsLarge());
            return firstIsLarge ? Optional.empty() : Optional.of(combine(late, fresh, snapshot, bound, head));
        }

        /** Late events go first, and fresh ones have the room they leave. */
        private SnapshotRead combine(Read late, Read fresh, Snapshot snapshot, long bound, long head) {
            if (late.cut()) {
                return new SnapshotRead(late.events(), List.of(), snapshot, bound, head, false, false, defects);
            }
            Read fitting = late.events().isEmpty()
                    ? fresh
                    : fresh.first(maxEvents - late.events().size(), maxBytes - late.bytes());
            return new SnapshotRead(
                    late.events(), fitting.events(), snapshot, bound, head, true, !fitting.cut(), defects);
        }

        private Read events() throws SQLException {
            List<StoredEvent> events = new ArrayList<>();
            List<Integer> sizes = new ArrayList<>();
            long found = 0;
            try (ResultSet row = trip.next()) {
                while (row.next()) {
                    if (Rows.hasNoPayload(row)) {
                        return new Read(events, sizes, true);
                    }
                    events.add(event(row));
                    sizes.add(row.getInt(Rows.EVENT_COLUMNS + 1));
                    found = row.getLong(Rows.EVENT_COLUMNS + 2);
                }
            }
            return new Read(events, sizes, events.size() >= maxEvents || events.size() < found);
        }

        /** An event, or what can be read of it: one that cannot be must not hold up the others. */
        private StoredEvent event(ResultSet row) throws SQLException {
            try {
                return Rows.event(row, 1);
            } catch (RuntimeException e) {
                StoredEvent outline = Rows.outline(row, 1);
                defects.put(outline.position(), Rows.defect(e));
                return outline;
            }
        }

        /** Without a position drawn since, the old bound still holds. */
        private long bound() throws SQLException {
            try (ResultSet drawn = trip.next()) {
                drawn.next();
                String xid = drawn.getString(1);
                return xid == null ? cursor.bound() : Long.parseLong(xid);
            }
        }

        private void requireSameIncarnation(@Nullable String token) {
            if (!ownership.incarnation().equals(token)) {
                throw new StoreException("PostgreSQL has recovered from a crash since " + ownership + " was claimed");
            }
        }
    }

    /** Events of one set with their sizes, and whether a limit has left some out. */
    private record Read(List<StoredEvent> events, List<Integer> sizes, boolean cut) {
        static final Read NOTHING = new Read(List.of(), List.of(), false);
        static final Read NOT_LOOKED = new Read(List.of(), List.of(), true);

        /** Its first event was too large for the statement. */
        boolean startsLarge() {
            return this != NOT_LOOKED && cut && events.isEmpty();
        }

        long bytes() {
            return sizes.stream().mapToLong(Integer::longValue).sum();
        }

        /** As many of the first as fit. */
        Read first(int maxEvents, long maxBytes) {
            int fitting = 0;
            long bytes = 0;
            while (fitting < Math.min(maxEvents, events.size()) && bytes + sizes.get(fitting) <= maxBytes) {
                bytes += sizes.get(fitting++);
            }
            return fitting == events.size()
                    ? this
                    : new Read(events.subList(0, fitting), sizes.subList(0, fitting), true);
        }
    }
}
