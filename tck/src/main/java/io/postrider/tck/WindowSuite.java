package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.store.Ownership;
import io.postrider.store.Park;
import io.postrider.store.Park.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Windows: which delivery rows of a lane a store shows its owner, and in which order it finds the others. */
public abstract class WindowSuite<T> extends EngineCase<T> {

    private final List<String> keys = keysBeside("ann", 8);

    @Test
    void a_window_has_the_rows_that_are_due_first() {
        LaneReader reader = reader("ann");
        List<Delivery> rows = parkedAt(reader, 5, 1, 4, 2, 3);
        Park.Window window = window(reader, 3);
        assertThat(window.rows()).containsExactly(rows.get(1), rows.get(3), rows.get(4));
        assertThat(window.beyond()).isEqualTo(rows.get(2).dueAt());
        assertThat(window(reader, 5).beyond()).isNull();
        assertThat(window(reader, 5).rows()).hasSize(5);
    }

    @Test
    void rows_that_failed_are_counted_whether_a_window_has_them_or_not() {
        LaneReader reader = reader("ann");
        List<Delivery> rows = parkedAt(reader, 1, 2, 3);
        List<Delivery> failed = rows.subList(1, 3).stream()
                .map(row -> row.waiting(1, row.dueAt(), "broken"))
                .toList();
        assertThat(reader.settle(Counts.NONE, failed, List.of())).isTrue();
        assertThat(window(reader, 1).failing()).isEqualTo(2);
        assertThat(window(reader, 1).rows()).containsExactly(rows.get(0));
    }

    @Test
    void a_row_behind_another_is_counted_and_found_through_its_key() {
        LaneReader reader = reader("ann");
        List<Delivery> rows = parkedBehindFirst(reader, "ann", 3);
        Park.Window window = window(reader, 10);
        assertThat(window.rows()).containsExactly(rows.get(0));
        assertThat(window.behind()).isEqualTo(2);
        assertThat(window.demoted()).isZero();
        assertThat(reader.settle(
                        new Counts(1, 0, -1, 0, 0, 0),
                        List.of(),
                        List.of(rows.get(0).position())))
                .isTrue();
        assertThat(window(reader, 10).rows()).isEmpty();
        assertThat(park().follow(reader.ownership(), Wanted.WAITING, List.of("ann", keys.get(1)), 10))
                .containsExactly(rows.get(1), rows.get(2));
        assertThat(window(reader, 10).rows()).containsExactly(rows.get(1).behind(false));
        assertThat(window(reader, 10).behind()).isEqualTo(1);
    }

    @Test
    void a_claimed_row_is_behind_no_other() {
        LaneReader reader = reader("ann");
        List<Delivery> rows = parkedBehindFirst(reader, "ann", 3);
        assertThat(store.claim()
                        .claim(
                                reader.ownership(),
                                rows.stream().map(Delivery::position).toList()))
                .hasSize(3);
        Park.Window window = window(reader, 1);
        assertThat(window.behind()).isZero();
        assertThat(window.rows()).extracting(Delivery::position).isEqualTo(positions(rows));
    }

    @Test
    void a_row_that_has_another_of_its_key_before_it_goes_behind() {
        LaneReader reader = reader("ann");
        committed("ann", "a", "b", "c");
        List<Delivery> rows =
                reader.drain(LaneReader.MANY).stream().map(StoreCase::parked).toList();
        assertThat(reader.park(rows)).isTrue();
        Park.Window window = window(reader, 10);
        assertThat(window.rows()).containsExactly(rows.get(0));
        assertThat(window.demoted()).isEqualTo(2);
        assertThat(window.behind()).isEqualTo(2);
        assertThat(window(reader, 10).demoted()).isZero();
    }

    /** A row that went behind is counted as behind; counted as failing too, it would fill {@code parkedMax} twice. */
    @Test
    void rows_that_failed_are_counted_after_some_of_them_went_behind() {
        LaneReader reader = reader("ann");
        committed("ann", "a", "b", "c");
        List<Delivery> failed = reader.drain(LaneReader.MANY).stream()
                .map(StoreCase::parked)
                .map(row -> row.waiting(1, row.dueAt(), "broken"))
                .toList();
        assertThat(reader.park(failed)).isTrue();
        Park.Window window = window(reader, 10);
        assertThat(window.demoted()).isEqualTo(2);
        assertThat(window.behind()).isEqualTo(2);
        assertThat(window.failing()).isEqualTo(1);
    }

    @Test
    void rows_that_failed_are_counted_after_one_of_them_came_to_the_front() {
        LaneReader reader = reader("ann");
        committed("ann", "a", "b");
        List<Delivery> rows =
                reader.drain(LaneReader.MANY).stream().map(StoreCase::parked).toList();
        Delivery first = rows.get(0).waiting(1, rows.get(0).dueAt(), "broken").behind(true);
        assertThat(reader.park(List.of(first, rows.get(1)))).isTrue();
        Park.Window window = window(reader, 10);
        assertThat(window.behind()).isEqualTo(1);
        assertThat(window.failing()).isEqualTo(1);
    }

    @Test
    void the_first_row_of_a_key_comes_before_a_later_one_that_stands_in_front() {
        LaneReader reader = reader("ann");
        committed("ann", "a", "b");
        List<Delivery> rows =
                reader.drain(LaneReader.MANY).stream().map(StoreCase::parked).toList();
        assertThat(reader.park(List.of(rows.get(0).behind(true), rows.get(1)))).isTrue();
        Park.Window window = window(reader, 10);
        assertThat(window.rows()).containsExactly(rows.get(0));
        assertThat(window.behind()).isEqualTo(1);
        assertThat(window(reader, 10).rows()).containsExactly(rows.get(0));
    }

    @Test
    void a_key_is_blocked_by_rows_in_front_and_behind_and_by_dead_ones_where_asked() {
        LaneReader reader = reader("ann");
        parkedBehindFirst(reader, "ann", 2);
        committed(keys.get(1), "b");
        assertThat(reader.bury(List.of(dead(reader.drain(LaneReader.MANY).get(0)))))
                .isTrue();
        List<String> asked = keys.subList(0, 3);
        assertThat(park().blocked(reader.ownership(), Wanted.WAITING, asked)).containsExactly("ann");
        assertThat(park().blocked(reader.ownership(), Wanted.WAITING_AND_DEAD, asked))
                .containsExactlyInAnyOrder("ann", keys.get(1));
        assertThat(park().blocked(reader.ownership(), Wanted.UNORDERED, asked)).isEmpty();
    }

    @Test
    void a_sweep_brings_rows_to_the_front_that_wait_behind_nothing() {
        LaneReader reader = reader("ann");
        parkedBehindFirst(reader, keys.get(1), 2);
        List<Delivery> left = parkedBehind(reader, "ann", 2);
        List<Delivery> right = parkedBehind(reader, keys.get(2), 1);
        assertThat(window(reader, 10).behind()).isEqualTo(4);
        int promoted = 0;
        int sweeps = 0;
        for (String after = ""; after != null; sweeps++) {
            Park.Promoted swept = park().promote(reader.ownership(), Wanted.WAITING, after, 1);
            promoted += swept.promoted();
            after = swept.after();
        }
        assertThat(promoted).isEqualTo(2);
        assertThat(sweeps).isEqualTo(4);
        assertThat(window(reader, 10).rows())
                .contains(left.get(0).behind(false), right.get(0).behind(false))
                .hasSize(3);
    }

    @Test
    void without_order_a_sweep_brings_all_rows_to_the_front() {
        LaneReader reader = reader("ann");
        parkedBehindFirst(reader, "ann", 3);
        assertThat(park().promote(reader.ownership(), Wanted.UNORDERED, "", 10).promoted())
                .isEqualTo(2);
        assertThat(park().window(reader.ownership(), Park.View.of(Wanted.UNORDERED))
                        .rows())
                .hasSize(3);
    }

    @Test
    void under_an_earlier_epoch_no_row_is_moved() {
        LaneReader reader = reader("ann");
        Ownership before = reader.ownership();
        parkedBehind(reader, "ann", 2);
        LaneReader next = of("ann", readers(NODE, SUBSCRIPTION));
        park().follow(before, Wanted.WAITING, List.of("ann"), 10);
        assertThat(park().promote(before, Wanted.WAITING, "", 10).promoted()).isZero();
        assertThat(window(next, 10).behind()).isEqualTo(2);
        assertThat(park().promote(next.ownership(), Wanted.WAITING, "", 10).promoted())
                .isEqualTo(1);
        committed(keys.get(1), "a", "b");
        assertThat(next.park(next.drain(LaneReader.MANY).stream()
                        .map(StoreCase::parked)
                        .toList()))
                .isTrue();
        assertThat(park().window(before, Park.View.of(Wanted.WAITING)).demoted())
                .isZero();
        assertThat(window(next, 10).demoted()).isEqualTo(1);
    }

    @Test
    void an_owner_finds_rows_that_an_earlier_one_left_behind_nothing() {
        LaneReader reader = reader("ann");
        parkedBehind(reader, "ann", 3);
        parkedBehindFirst(reader, keys.get(1), 3);
        store.renew().leave(NODE);
        Postrider<T> node = node(quick().subscriptions(s -> s.parkedHeld(1)));
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, "ann", "last");
        assertAllDelivered(7);
        assertThat(letters.delivered("ann")).containsExactly("ann0", "ann1", "ann2", "last");
    }

    // ---- rows -------------------------------------------------------------------------------------------------------

    private Park park() {
        return store.park();
    }

    private Park.Window window(LaneReader reader, int most) {
        return park().window(reader.ownership(), new Park.View(Wanted.WAITING, most, 100));
    }

    private static List<Position> positions(List<Delivery> rows) {
        return rows.stream().map(Delivery::position).toList();
    }

    /** A row for each of these, of another key each, due in so many minutes. */
    private List<Delivery> parkedAt(LaneReader reader, int... minutes) {
        for (int i = 0; i < minutes.length; i++) {
            committed(keys.get(i), "at " + i);
        }
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        List<Delivery> rows = IntStream.range(0, minutes.length)
                .mapToObj(i -> parked(events.get(i)).waiting(0, in(Duration.ofMinutes(minutes[i])), null))
                .toList();
        assertThat(reader.park(rows)).isTrue();
        return rows;
    }

    private List<Delivery> parkedBehindFirst(LaneReader reader, String key, int count) {
        return parked(reader, key, count, 1);
    }

    private List<Delivery> parkedBehind(LaneReader reader, String key, int count) {
        return parked(reader, key, count, 0);
    }

    private List<Delivery> parked(LaneReader reader, String key, int count, int inFront) {
        for (int i = 0; i < count; i++) {
            committed(key, key + i);
        }
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        List<Delivery> rows = IntStream.range(0, count)
                .mapToObj(i -> parked(events.get(i)).behind(i >= inFront))
                .toList();
        assertThat(reader.park(rows)).isTrue();
        return rows;
    }

    private static Instant in(Duration time) {
        return Instant.now().plus(time).truncatedTo(ChronoUnit.MILLIS);
    }
}
