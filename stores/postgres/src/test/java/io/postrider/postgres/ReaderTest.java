package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.snapshot.SnapshotCursor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Each part of the reading algorithm is needed: the reader finds every event, and the same reader with that part taken
 * away from its cursor loses one.
 */
class ReaderTest {
    private static final String KEY = "k";
    private static final UnaryOperator<SnapshotCursor> FAITHFUL = UnaryOperator.identity();
    private static final UnaryOperator<SnapshotCursor> WITHOUT_THE_LATE_SET = cursor -> new SnapshotCursor(
            cursor.position(), cursor.snapshot(), cursor.bound(), cursor.position(), cursor.mark(), null);
    private static final UnaryOperator<SnapshotCursor> WITHOUT_THE_XMAX_HALF = cursor -> new SnapshotCursor(
            cursor.position(),
            cursor.snapshot(),
            cursor.snapshot().xmax(),
            cursor.floor(),
            cursor.mark(),
            cursor.late());

    private final TestDatabase database = new TestDatabase();
    private PostgresStore store;
    private Claim.ClaimedLane lane;

    @BeforeEach
    void claimTheLaneOfTheKey() {
        store = database.store();
        store.subscriptions().register("reader", Start.beginning(), "");
        Lane number = Lane.of(KEY, new EventId(UUID.randomUUID()), Lane.COUNT_DEFAULT);
        lane = store
                .claim()
                .claim(
                        new Claim.Claimant("node", "reader", "", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        Lane.COUNT_DEFAULT)
                .stream()
                .filter(claimed -> claimed.ownership().lane().equals(number))
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_event_that_commits_late_is_found_and_without_the_late_set_it_is_lost() throws SQLException {
        assertThat(lateCommit(FAITHFUL)).containsExactly("second", "first");
        assertThat(lateCommit(WITHOUT_THE_LATE_SET)).containsExactly("second");
    }

    /** One appends and waits, another appends and commits, and is read; then the first commits. */
    private List<String> lateCommit(UnaryOperator<SnapshotCursor> reader) throws SQLException {
        try (Connection first = database.begin();
                Connection second = database.begin()) {
            Reading reading = new Reading(reader);
            takeXid(second);
            append(first, "first");
            append(second, "second");
            // A third that ends after both began moves xmax above them, so that the first is listed as in progress.
            completeATransaction();
            second.commit();
            reading.read();
            first.commit();
            reading.read();
            return reading.types();
        }
    }

    @Test
    void a_running_transaction_above_xmax_is_found_and_without_that_half_it_is_lost() throws SQLException {
        assertThat(commitAboveXmax(FAITHFUL)).containsExactly("x", "y");
        assertThat(commitAboveXmax(WITHOUT_THE_XMAX_HALF)).containsExactly("x");
    }

    /** X takes an xid; Y appends, X appends and commits, and is read; Y commits. Y is above xmax, not in progress. */
    private List<String> commitAboveXmax(UnaryOperator<SnapshotCursor> reader) throws SQLException {
        try (Connection x = database.begin();
                Connection y = database.begin()) {
            Reading reading = new Reading(reader);
            takeXid(x);
            append(y, "y");
            append(x, "x");
            x.commit();
            reading.read();
            y.commit();
            reading.read();
            return reading.types();
        }
    }

    @Test
    void the_bound_is_drawn_after_the_read_and_one_drawn_before_it_loses_an_event() throws SQLException {
        assertThat(commitAfterAnEarlierXid(FAITHFUL)).containsExactly("x", "z");
        long[] drawnBefore = new long[1];
        UnaryOperator<SnapshotCursor> tooLow = cursor -> {
            long bound = drawnBefore[0] == 0 ? cursor.bound() : drawnBefore[0];
            drawnBefore[0] = xidOf(database);
            return new SnapshotCursor(
                    cursor.position(), cursor.snapshot(), bound, cursor.floor(), cursor.mark(), cursor.late());
        };
        assertThat(commitAfterAnEarlierXid(tooLow)).containsExactly("x");
    }

    /** Z begins after the bound that is too low was drawn, and appends below the position that is read. */
    private List<String> commitAfterAnEarlierXid(UnaryOperator<SnapshotCursor> reader) throws SQLException {
        try (Connection x = database.begin();
                Connection z = database.begin()) {
            Reading reading = new Reading(reader);
            takeXid(x);
            reading.mutate();
            append(z, "z");
            append(x, "x");
            x.commit();
            reading.readUnchanged();
            z.commit();
            reading.read();
            return reading.types();
        }
    }

    private static long xidOf(TestDatabase database) {
        try {
            return database.number("SELECT pg_current_xact_id()::text::bigint");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void the_floor_waits_for_the_transactions_below_its_mark_and_raised_earlier_it_loses_an_event()
            throws SQLException {
        assertThat(lateCommitAfterSeveralReads(FAITHFUL)).containsExactly("second", "third", "fourth", "first");
        assertThat(lateCommitAfterSeveralReads(ReaderTest::raisedToMark)).containsExactly("second", "third", "fourth");
    }

    private static SnapshotCursor raisedToMark(SnapshotCursor cursor) {
        SnapshotCursor.Mark mark = cursor.mark();
        long floor = mark == null ? cursor.floor() : mark.position();
        return new SnapshotCursor(cursor.position(), cursor.snapshot(), cursor.bound(), floor, mark, cursor.late());
    }

    private List<String> lateCommitAfterSeveralReads(UnaryOperator<SnapshotCursor> reader) throws SQLException {
        try (Connection first = database.begin()) {
            Reading reading = new Reading(reader);
            append(first, "first");
            for (String type : List.of("second", "third", "fourth")) {
                try (Connection other = database.begin()) {
                    append(other, type);
                    other.commit();
                }
                reading.read();
            }
            first.commit();
            reading.read();
            return reading.types();
        }
    }

    @Test
    void the_floor_follows_once_all_transactions_below_it_have_ended() throws SQLException {
        Reading reading = new Reading(FAITHFUL);
        for (int i = 0; i < 3; i++) {
            try (Connection connection = database.begin()) {
                append(connection, "event");
                connection.commit();
            }
            reading.read();
        }
        assertThat(reading.cursor.floor()).isPositive();
    }

    @Test
    void a_late_set_of_several_pages_arrives_whole_and_in_order_before_anything_fresh() throws SQLException {
        try (Connection late = database.begin();
                Connection early = database.begin()) {
            Reading reading = new Reading(FAITHFUL);
            List<String> expected = new ArrayList<>(List.of("early"));
            for (int i = 0; i < 25; i++) {
                append(late, "late-" + i);
                expected.add("late-" + i);
            }
            append(early, "early");
            early.commit();
            reading.read();
            late.commit();
            try (Connection fresh = database.begin()) {
                append(fresh, "fresh");
                fresh.commit();
            }
            expected.add("fresh");
            for (int i = 0; i < 12; i++) {
                reading.read(4);
            }
            assertThat(reading.types()).isEqualTo(expected);
        }
    }

    @Test
    void a_prepared_transaction_delays_only_its_own_event() throws SQLException {
        Reading reading = new Reading(FAITHFUL);
        try (Connection prepared = database.begin();
                Connection other = database.begin();
                var statement = prepared.createStatement()) {
            append(prepared, "prepared");
            statement.execute("PREPARE TRANSACTION '" + database.schema() + "'");
            append(other, "other");
            other.commit();
            reading.read();
            prepared.setAutoCommit(true);
            statement.execute("COMMIT PREPARED '" + database.schema() + "'");
        }
        reading.read();
        assertThat(reading.types()).containsExactly("other", "prepared");
    }

    @Test
    void a_savepoint_that_was_rolled_back_leaves_no_event() throws SQLException {
        Reading reading = new Reading(FAITHFUL);
        try (Connection connection = database.begin()) {
            append(connection, "kept");
            var savepoint = connection.setSavepoint();
            append(connection, "undone");
            connection.rollback(savepoint);
            append(connection, "kept-too");
            connection.commit();
        }
        reading.read();
        assertThat(reading.types()).containsExactly("kept", "kept-too");
    }

    /** Reads behind its own cursor, which goes through {@code mutation} before each read. */
    private final class Reading {
        private final UnaryOperator<SnapshotCursor> mutation;
        private final List<String> types = new ArrayList<>();
        private SnapshotCursor cursor;

        Reading(UnaryOperator<SnapshotCursor> mutation) {
            this.mutation = mutation;
            this.cursor = SnapshotCursor.of(store.watch().now());
        }

        void read() {
            read(1_000);
        }

        void mutate() {
            cursor = mutation.apply(cursor);
        }

        void read(int limit) {
            mutate();
            readUnchanged(limit);
        }

        void readUnchanged() {
            readUnchanged(1_000);
        }

        private void readUnchanged(int limit) {
            Page page = store.claim().read(lane.ownership(), cursor, limit, 1 << 20);
            page.events().stream().map(StoredEvent::type).forEach(types::add);
            cursor = SnapshotCursor.of(page.after(page.events().size()));
        }

        List<String> types() {
            return types;
        }
    }

    private void append(Connection connection, String type) {
        EventId id = new EventId(UUID.randomUUID());
        store.append().append(connection, List.of(new Append.Entry(id, type, KEY, "{}", Headers.NONE, null)));
    }

    private static void takeXid(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_xact_id()")) {
            row.next();
        }
    }

    private void completeATransaction() throws SQLException {
        try (Connection connection = database.begin()) {
            takeXid(connection);
            connection.commit();
        }
    }
}
