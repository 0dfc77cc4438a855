package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.postrider.StoredEvent;
import io.postrider.policy.Start;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads behind cursors: nothing is lost and nothing is read twice, however late a transaction commits. */
public abstract class CursorSuite<T> extends StoreCase<T> {

    @Test
    void a_transaction_that_commits_late_is_read_late_and_once() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", "late");
        committed("ann", "early");
        assertThat(reader.drain()).containsExactly("early");
        fixture.commit(slow);
        assertThat(reader.drain()).containsExactly("late");
        assertThat(reader.drain()).isEmpty();
    }

    @Test
    void a_transaction_beyond_the_latest_completed_one_is_not_lost() {
        LaneReader reader = reader("ann");
        T first = fixture.begin();
        append(first, "ann", "first-1");
        T beyond = fixture.begin();
        append(beyond, "ann", "beyond");
        append(first, "ann", "first-2");
        fixture.commit(first);
        assertThat(reader.drain()).containsExactly("first-1", "first-2");
        fixture.commit(beyond);
        assertThat(reader.drain()).containsExactly("beyond");
        assertThat(reader.drain()).isEmpty();
    }

    @Test
    void a_long_transaction_delays_only_its_own_events() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", "slow-1");
        for (String text : numbered("quick-", 5)) {
            committed("ann", text);
            assertThat(reader.drain()).containsExactly(text);
        }
        append(slow, "ann", "slow-2");
        committed("ann", "quick-6");
        assertThat(reader.drain()).containsExactly("quick-6");
        fixture.commit(slow);
        assertThat(reader.drain()).containsExactly("slow-1", "slow-2");
    }

    @Test
    void an_unrelated_long_transaction_delays_nothing() {
        LaneReader reader = reader("ann");
        T unrelated = fixture.begin();
        append(unrelated, keyApartFrom("ann"), "elsewhere");
        committed("ann", "a");
        assertThat(reader.drain()).containsExactly("a");
        committed("ann", "b");
        assertThat(reader.drain()).containsExactly("b");
    }

    @Test
    void a_rolled_back_transaction_leaves_a_gap_that_a_cursor_passes() {
        LaneReader reader = reader("ann");
        T undone = fixture.begin();
        append(undone, "ann", "never");
        committed("ann", "a");
        assertThat(reader.drain()).containsExactly("a");
        fixture.rollback(undone);
        assertThat(reader.drain()).isEmpty();
        committed("ann", "b");
        assertThat(reader.drain()).containsExactly("b");
    }

    // ---- pages ------------------------------------------------------------------------------------------------------

    @Test
    void a_long_late_set_is_read_in_pages_before_anything_fresh() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", numbered("late-", 25));
        committed("ann", "early");
        assertThat(reader.drain()).containsExactly("early");
        fixture.commit(slow);
        committed("ann", numbered("fresh-", 5));
        List<String> expected = new ArrayList<>(List.of(numbered("late-", 25)));
        expected.addAll(List.of(numbered("fresh-", 5)));
        Page first = reader.peek(10);
        assertThat(first.events()).hasSize(10);
        assertThat(first.more()).isTrue();
        assertThat(LaneReader.texts(reader.drain(10))).containsExactlyElementsOf(expected);
        assertThat(reader.drain()).isEmpty();
    }

    @Test
    void a_late_set_whose_size_is_a_multiple_of_the_page_is_followed_by_fresh_events() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", numbered("late-", 20));
        committed("ann", "early");
        reader.drain();
        fixture.commit(slow);
        committed("ann", "fresh");
        List<String> read = LaneReader.texts(reader.drain(10));
        assertThat(read).hasSize(21).endsWith("fresh").doesNotHaveDuplicates();
    }

    @Test
    void what_commits_while_a_late_set_is_paged_is_read_after_it() {
        LaneReader reader = reader("ann");
        T slower = fixture.begin();
        append(slower, "ann", "slower-1", "slower-2");
        T slow = fixture.begin();
        append(slow, "ann", numbered("slow-", 12));
        append(slower, "ann", "slower-3");
        committed("ann", "early");
        assertThat(reader.drain()).containsExactly("early");
        fixture.commit(slow);
        List<String> read = new ArrayList<>(LaneReader.texts(reader.next(5)));
        assertThat(read).containsExactly(numbered("slow-", 5));
        fixture.commit(slower);
        committed("ann", "fresh");
        read.addAll(LaneReader.texts(reader.drain(5)));
        assertThat(read).hasSize(16).doesNotHaveDuplicates();
        assertThat(read).containsSubsequence("slow-12", "slower-1", "slower-2", "slower-3", "fresh");
    }

    @Test
    void a_page_of_which_a_part_was_handled_is_read_on_from_there() {
        committed("ann", numbered("n", 10));
        LaneReader reader = reader("ann");
        List<String> read = new ArrayList<>(LaneReader.texts(reader.handle(reader.peek(8), 3)));
        read.addAll(LaneReader.texts(reader.handle(reader.peek(8), 0)));
        read.addAll(LaneReader.texts(reader.drain(8)));
        assertThat(read).containsExactly(numbered("n", 10));
    }

    @Test
    void a_late_page_of_which_a_part_was_handled_is_read_on_from_there() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", numbered("late-", 6));
        committed("ann", "early");
        reader.drain();
        fixture.commit(slow);
        committed("ann", "fresh-1", "fresh-2");
        List<String> read = new ArrayList<>();
        read.addAll(LaneReader.texts(reader.handle(reader.peek(LaneReader.MANY), 2)));
        read.addAll(LaneReader.texts(reader.handle(reader.peek(3), 1)));
        read.addAll(LaneReader.texts(reader.drain(LaneReader.MANY)));
        assertThat(read)
                .containsExactly("late-1", "late-2", "late-3", "late-4", "late-5", "late-6", "fresh-1", "fresh-2");
    }

    @Test
    void a_page_has_at_most_as_many_events_as_asked_for() {
        committed("ann", numbered("n", 7));
        LaneReader reader = reader("ann");
        assertThat(LaneReader.texts(reader.next(3))).containsExactly("n1", "n2", "n3");
        assertThat(LaneReader.texts(reader.next(3))).containsExactly("n4", "n5", "n6");
        Page last = reader.peek(3);
        assertThat(last.more()).isFalse();
        assertThat(LaneReader.texts(reader.handle(last, 1))).containsExactly("n7");
    }

    @Test
    void a_page_has_at_most_as_many_bytes_as_asked_for_but_at_least_one_event() {
        String text = "x".repeat(100);
        committed("ann", text, text, text, text, text);
        LaneReader reader = reader("ann");
        assertThat(bytesPage(reader, 1)).isEqualTo(1);
        assertThat(bytesPage(reader, 102)).isEqualTo(1);
        assertThat(bytesPage(reader, 300)).isEqualTo(2);
        assertThat(bytesPage(reader, 306)).isEqualTo(3);
        assertThat(bytesPage(reader, 10_000)).isEqualTo(5);
    }

    @Test
    void late_and_fresh_events_share_the_limits_of_a_page() {
        String text = "x".repeat(100);
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", text, text);
        committed("ann", "early");
        assertThat(reader.drain()).containsExactly("early");
        fixture.commit(slow);
        committed("ann", text, text, text);
        assertThat(reader.peek(4).events()).hasSize(4);
        assertThat(bytesPage(reader, 320)).isEqualTo(3);
        assertThat(reader.drain()).hasSize(5);
    }

    private int bytesPage(LaneReader reader, long bytes) {
        return store.claim()
                .read(reader.ownership(), reader.cursor(), LaneReader.MANY, bytes)
                .events()
                .size();
    }

    // ---- position and floor -----------------------------------------------------------------------------------------

    @Test
    void an_empty_read_takes_the_cursor_past_what_other_lanes_have() {
        String other = keyApartFrom("ann");
        committed(other, "elsewhere");
        LaneReader reader = reader("ann");
        StoredEvent elsewhere = reader("second", Start.beginning(), other)
                .drain(LaneReader.MANY)
                .get(0);
        reader.next(LaneReader.MANY);
        assertThat(reader.cursor().position())
                .isGreaterThanOrEqualTo(elsewhere.position().value());
    }

    @Test
    void the_floor_follows_once_the_transactions_below_it_have_ended() {
        committed("ann", "a", "b");
        LaneReader reader = reader("ann");
        List<StoredEvent> read = reader.drain(LaneReader.MANY);
        assertThat(read).hasSize(2);
        eventually().holds(() -> {
            reader.next(LaneReader.MANY);
            assertThat(reader.cursor().floor())
                    .isGreaterThanOrEqualTo(read.get(1).position().value());
        });
    }

    @Test
    void the_floor_stays_below_what_may_still_commit() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", "late");
        for (String text : numbered("quick-", 5)) {
            committed("ann", text);
            assertThat(reader.drain()).containsExactly(text);
        }
        long floor = reader.cursor().floor();
        fixture.commit(slow);
        List<StoredEvent> late = reader.drain(LaneReader.MANY);
        assertThat(LaneReader.texts(late)).containsExactly("late");
        assertThat(late.get(0).position().value()).isGreaterThan(floor);
    }

    // ---- what is kept -----------------------------------------------------------------------------------------------

    @Test
    void the_next_owner_goes_on_in_the_middle_of_a_late_set() {
        LaneReader reader = reader("ann");
        T slow = fixture.begin();
        append(slow, "ann", numbered("late-", 10));
        T slower = fixture.begin();
        append(slower, "ann", "slower");
        committed("ann", "early");
        assertThat(reader.drain()).containsExactly("early");
        fixture.commit(slow);
        assertThat(reader.next(4)).hasSize(4);
        assertThat(reader.settle(5)).isTrue();
        store.renew().leave(NODE);
        fixture.commit(slower);
        LaneReader next = of("ann", readers(OTHER_NODE, SUBSCRIPTION));
        assertThat(LaneReader.texts(next.drain(4)))
                .containsExactly("late-5", "late-6", "late-7", "late-8", "late-9", "late-10", "slower");
    }

    @Test
    void subscriptions_read_independently() {
        committed("ann", "a", "b", "c");
        LaneReader one = reader("one", Start.beginning(), "ann");
        LaneReader two = reader("two", Start.beginning(), "ann");
        assertThat(LaneReader.texts(one.next(2))).containsExactly("a", "b");
        assertThat(one.settle(2)).isTrue();
        assertThat(two.drain()).containsExactly("a", "b", "c");
        assertThat(one.drain()).containsExactly("c");
    }

    @Test
    void a_read_for_another_incarnation_of_the_store_is_refused() {
        LaneReader reader = reader("ann");
        Ownership held = reader.ownership();
        Ownership earlier = new Ownership(held.subscription(), held.lane(), held.epoch(), "an earlier one");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.claim().read(earlier, reader.cursor(), 1, LaneReader.MANY_BYTES));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whatever_the_interleaving_every_committed_event_is_read_once(long seed) {
        Interleaving<T> interleaving = new Interleaving<>(seed, this, reader("ann"), "ann");
        interleaving.run(250);
        assertThat(interleaving.read()).containsExactlyInAnyOrderElementsOf(interleaving.committed());
        assertThat(interleaving.read()).isNotEmpty().doesNotHaveDuplicates();
        interleaving
                .transactions()
                .forEach(texts -> assertThat(interleaving.read()).containsSubsequence(texts));
    }
}
