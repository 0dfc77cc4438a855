package io.postrider.store.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.StoredEvent;
import io.postrider.store.Cursor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * The cursor algebra against a model: whatever happens in whatever order, nothing is lost and nothing is read twice.
 */
class SnapshotCursorTest {

    @Property(tries = 2_000)
    void every_committed_row_is_handled_once(
            @ForAll @Size(min = 20, max = 200) List<@IntRange(max = 99_999) Integer> choices) {
        Run run = new Run(SnapshotCursor.after(0));
        choices.forEach(run::step);
        run.finish();
        assertThat(run.handled).doesNotHaveDuplicates();
        assertThat(run.handled).containsExactlyInAnyOrderElementsOf(run.positions());
    }

    @Property(tries = 1_000)
    void a_cursor_that_begins_at_the_end_handles_what_was_not_visible_then(
            @ForAll @Size(min = 10, max = 80) List<@IntRange(max = 99_999) Integer> before,
            @ForAll @Size(min = 10, max = 80) List<@IntRange(max = 99_999) Integer> after) {
        Run run = new Run(SnapshotCursor.after(0));
        before.stream().filter(choice -> choice % 10 < 8).forEach(run::step);
        run.outside = run.positions();
        run.cursor = SnapshotCursor.notIn(run.log.snapshot(), run.log.head(), run.log.bound());
        after.forEach(run::step);
        run.finish();
        List<Long> expected = new ArrayList<>(run.positions());
        expected.removeAll(run.outside);
        assertThat(run.handled).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(expected);
    }

    @Example
    void a_transaction_beyond_the_snapshots_xmax_is_found() {
        LogModel log = new LogModel();
        LogModel.Transaction first = log.begin();
        LogModel.Transaction beyond = log.begin();
        log.drawXid(first);
        log.append(beyond);
        log.append(first);
        log.commit(first);
        SnapshotRead page = log.read(SnapshotCursor.after(0), 10, true);
        assertThat(page.snapshot().inProgress()).isEmpty();
        SnapshotCursor cursor = SnapshotCursor.after(0).advance(page, 1);
        log.commit(beyond);
        assertThat(log.read(cursor, 10, true).late()).hasSize(1);
    }

    @Example
    void an_idle_cursor_reaches_the_head_and_then_its_floor_does() {
        LogModel log = new LogModel();
        LogModel.Transaction transaction = log.begin();
        log.append(transaction);
        log.rollback(transaction);
        SnapshotCursor once = SnapshotCursor.after(0).advance(log.read(SnapshotCursor.after(0), 10, true), 0);
        assertThat(once.position()).isEqualTo(1);
        assertThat(once.floor()).isZero();
        SnapshotCursor twice = once.advance(log.read(once, 10, true), 0);
        assertThat(twice.floor()).isEqualTo(1);
        assertThat(twice.mayHaveLate()).isFalse();
    }

    @Example
    void no_more_can_be_handled_than_was_read() {
        LogModel log = new LogModel();
        SnapshotRead empty = log.read(SnapshotCursor.after(0), 10, true);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SnapshotCursor.after(0).advance(empty, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SnapshotCursor.after(0).advance(empty, -1));
    }

    @Example
    void a_cursor_that_moves_on_is_worth_a_settlement_now_and_then_and_a_step_in_a_late_set_at_once() {
        SnapshotCursor start = SnapshotCursor.after(5);
        assertThat(start.to(start)).isEqualTo(Cursor.Progress.NONE);
        assertThat(start.to(SnapshotCursor.after(6))).isEqualTo(Cursor.Progress.SOME);
        SnapshotCursor idle = SnapshotCursor.notIn(Snapshot.NOTHING, 5, 1);
        assertThat(idle.to(start)).as("the floor alone").isEqualTo(Cursor.Progress.SOME);
        SnapshotCursor step =
                new SnapshotCursor(5, Snapshot.NOTHING, 1, 0, null, new SnapshotCursor.Late(3, Snapshot.parse("2:4:")));
        assertThat(idle.to(step)).isEqualTo(Cursor.Progress.STEP);
        assertThat(step.to(idle)).isEqualTo(Cursor.Progress.STEP);
    }

    @Example
    void a_cursor_of_another_store_is_refused() {
        Cursor foreign = new Cursor() {
            @Override
            public long position() {
                return 1;
            }

            @Override
            public long floor() {
                return 1;
            }

            @Override
            public Progress to(Cursor next) {
                return Progress.NONE;
            }
        };
        assertThatIllegalArgumentException().isThrownBy(() -> SnapshotCursor.of(foreign));
    }

    @Example
    void a_snapshot_is_written_as_it_is_read() {
        for (String text : List.of("1:1:", "5:9:5,7", "10:20:10")) {
            assertThat(Snapshot.parse(text)).hasToString(text);
        }
        Snapshot snapshot = Snapshot.parse("5:9:5,7");
        assertThat(Stream.of(4L, 5L, 6L, 7L, 8L, 9L).filter(snapshot::sees)).containsExactly(4L, 6L, 8L);
        assertThatIllegalArgumentException().isThrownBy(() -> Snapshot.parse("5:9"));
        assertThatIllegalArgumentException().isThrownBy(() -> Snapshot.parse("9:5:"));
    }

    /** One interleaving: each number is a choice of what to do next, and of its details. */
    private static final class Run {
        final LogModel log = new LogModel();
        final List<Long> handled = new ArrayList<>();
        /** What was visible before the cursor began. */
        List<Long> outside = List.of();

        SnapshotCursor cursor;

        Run(SnapshotCursor cursor) {
            this.cursor = cursor;
        }

        void step(int choice) {
            int detail = choice / 10;
            switch (choice % 10) {
                case 0 -> log.begin();
                case 1 -> onOpen(detail, log::drawXid);
                case 2, 3, 4 -> onOpen(detail, log::append);
                case 5, 6 -> onOpen(detail, log::commit);
                case 7 -> onOpen(detail, log::rollback);
                default -> read(1 + detail % 4, detail / 4, detail % 2 == 0);
            }
            assertThatNothingUnhandledIsBelowTheFloor();
        }

        void finish() {
            List.copyOf(log.open()).forEach(log::commit);
            boolean more = true;
            while (more) {
                boolean within = cursor.late() != null;
                more = read(3, Integer.MAX_VALUE, true) > 0 || within;
            }
        }

        List<Long> positions() {
            return log.committed().stream().map(LogModel.Row::position).toList();
        }

        private void onOpen(int detail, Consumer<LogModel.Transaction> action) {
            if (!log.open().isEmpty()) {
                action.accept(log.open().get(detail % log.open().size()));
            }
        }

        private int read(int most, int handles, boolean sure) {
            SnapshotRead page = log.read(cursor, most, sure);
            int count = handles == Integer.MAX_VALUE ? page.size() : handles % (page.size() + 1);
            Stream.concat(page.late().stream(), page.fresh().stream())
                    .limit(count)
                    .map(StoredEvent::position)
                    .forEach(position -> handled.add(position.value()));
            cursor = cursor.advance(page, count);
            return page.size();
        }

        private void assertThatNothingUnhandledIsBelowTheFloor() {
            Stream.concat(log.open().stream().flatMap(one -> one.rows.stream()), log.committed().stream())
                    .filter(row -> row.position() <= cursor.floor() && !outside.contains(row.position()))
                    .forEach(row -> assertThat(handled).contains(row.position()));
        }
    }
}
