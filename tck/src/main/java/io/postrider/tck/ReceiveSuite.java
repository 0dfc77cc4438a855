package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Placed;
import io.postrider.store.Append;
import io.postrider.store.Store.Limitation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Receive: a message is appended once, however often it comes and whoever receives it. */
@RefusedWith(Limitation.NO_TRANSACTIONS)
public abstract class ReceiveSuite<T> extends StoreCase<T> {
    private static final String SOURCE = "orders";
    private static final String KEY = "ann";

    @Override
    void assertRefused(Limitation limitation) {
        T transaction = fixture.begin();
        assertUnsupported(() -> store.receive().receive(transaction, "orders", List.of(entry("ann", "a"))));
        fixture.rollback(transaction);
    }

    @Test
    void a_message_is_appended_once_however_often_it_comes() {
        Append.Entry one = entry(KEY, "one");
        assertThat(receive(SOURCE, List.of(one))).containsExactly(one.id());
        Append.Entry two = entry(KEY, "two");
        assertThat(receive(SOURCE, List.of(one, two))).containsExactly(two.id());
        assertThat(receive(SOURCE, List.of(two, one))).isEmpty();
        assertThat(payloads()).containsExactly("\"one\"", "\"two\"");
    }

    @Test
    void of_two_with_one_id_the_first_is_appended() {
        Append.Entry first = entry(KEY, "first");
        Append.Entry second = new Append.Entry(first.id(), TYPE, KEY, "\"second\"", Headers.NONE, null);
        assertThat(receive(SOURCE, List.of(first, second))).containsExactly(first.id());
        assertThat(payloads()).containsExactly("\"first\"");
        assertThat(store.receive().repeated(SOURCE)).isEqualTo(1);
    }

    @Test
    void the_same_id_from_another_source_is_another_message() {
        Append.Entry one = entry(KEY, "one");
        assertThat(receive(SOURCE, List.of(one))).hasSize(1);
        assertThat(receive("others", List.of(one))).hasSize(1);
        assertThat(payloads()).hasSize(2);
    }

    @Test
    void what_is_new_is_appended_in_the_given_order() {
        List<Append.Entry> entries = entries(200);
        receive(
                SOURCE,
                IntStream.range(0, 200)
                        .filter(n -> n % 3 == 0)
                        .mapToObj(entries::get)
                        .toList());
        receive(SOURCE, entries);
        List<String> later = payloads().subList(67, 200);
        assertThat(later)
                .isEqualTo(IntStream.range(0, 200)
                        .filter(n -> n % 3 != 0)
                        .mapToObj(n -> entries.get(n).payload())
                        .toList());
    }

    @Test
    void a_rollback_leaves_no_record() {
        Append.Entry one = entry(KEY, "one");
        T transaction = fixture.begin();
        assertThat(store.receive().receive(transaction, SOURCE, List.of(one, one)))
                .hasSize(1);
        fixture.rollback(transaction);
        assertThat(store.receive().repeated(SOURCE)).isZero();
        assertThat(receive(SOURCE, List.of(one))).hasSize(1);
        assertThat(payloads()).hasSize(1);
    }

    @Test
    void what_is_refused_leaves_no_record() {
        Append.Entry good = entry(KEY, "good");
        Append.Entry bad = new Append.Entry(good.id(), TYPE, KEY, "{", Headers.NONE, null);
        assertThatThrownBy(() -> receive(SOURCE, List.of(bad))).isInstanceOf(IllegalArgumentException.class);
        assertThat(receive(SOURCE, List.of(good))).hasSize(1);
    }

    @Test
    void messages_that_come_again_are_counted_by_source() {
        List<Append.Entry> entries = entries(5);
        receive(SOURCE, entries);
        assertThat(store.receive().repeated(SOURCE)).isZero();
        for (int time = 0; time < 120; time++) {
            receive(SOURCE, entries.subList(0, 2));
        }
        receive("others", entries);
        assertThat(store.receive().repeated(SOURCE)).isEqualTo(240);
        store.receive().forget(Duration.ofDays(1));
        assertThat(fixture.another().receive().repeated(SOURCE)).isEqualTo(240);
        assertThat(store.receive().repeated("others")).isZero();
    }

    @Test
    void who_receives_the_same_waits_for_the_first_and_takes_over_if_that_fails() {
        Append.Entry one = entry(KEY, "one");
        T open = fixture.begin();
        assertThat(store.receive().receive(open, SOURCE, List.of(one))).hasSize(1);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            CompletableFuture<Set<EventId>> waiting =
                    CompletableFuture.supplyAsync(() -> receive(SOURCE, List.of(one)), thread);
            fixture.rollback(open);
            assertThat(waiting.join()).hasSize(1);
        } finally {
            thread.shutdown();
        }
        assertThat(payloads()).hasSize(1);
    }

    @Test
    void many_who_receive_the_same_in_different_orders_do_not_deadlock() {
        List<Append.Entry> entries = entries(300);
        int receivers = 4;
        ExecutorService threads = Executors.newFixedThreadPool(receivers);
        try {
            List<CompletableFuture<Integer>> stored = IntStream.range(0, receivers)
                    .mapToObj(number -> CompletableFuture.supplyAsync(() -> receiveShuffled(entries, number), threads))
                    .toList();
            assertThat(stored.stream().mapToInt(CompletableFuture::join).sum()).isEqualTo(300);
        } finally {
            threads.shutdown();
        }
        assertThat(payloads()).hasSize(300).doesNotHaveDuplicates();
        assertThat(store.receive().repeated(SOURCE)).isEqualTo(300 * 8 * receivers - 300);
    }

    /** As brokers do that send again what was not acknowledged: all of it, in any pieces and any order. */
    private int receiveShuffled(List<Append.Entry> entries, int seed) {
        int stored = 0;
        for (int round = 0; round < 8; round++) {
            List<Append.Entry> shuffled = new ArrayList<>(entries);
            Collections.shuffle(shuffled, new Random(seed * 100L + round));
            for (int from = 0; from < shuffled.size(); from += 100) {
                stored += receive(SOURCE, shuffled.subList(from, from + 100)).size();
            }
        }
        return stored;
    }

    @Test
    void what_was_received_long_ago_is_forgotten() {
        Append.Entry one = entry(KEY, "one");
        receive(SOURCE, List.of(one));
        assertThat(store.receive().forget(Duration.ofDays(1))).isFalse();
        assertThat(receive(SOURCE, List.of(one))).isEmpty();
        eventually()
                .holds(() -> assertThat(store.receive().forget(Duration.ZERO)).isTrue());
        assertThat(receive(SOURCE, List.of(one))).hasSize(1);
    }

    @Test
    void the_newest_place_of_a_reader_is_kept_for_good() throws Exception {
        assertThat(store.receive().newest(SOURCE)).isEmpty();
        Instant at = Instant.parse("2026-01-02T03:04:05.123456789Z");
        Placed.Place newest = new Placed.Place(0, 17, at.plusNanos(1));
        place(SOURCE, new Placed.Place(0, 16, at));
        place(SOURCE, newest);
        place(SOURCE, new Placed.Place(0, 99, at)); // another node was faster
        place("others", new Placed.Place(0, 5, at.plusSeconds(1)));
        assertThat(store.receive().newest(SOURCE)).contains(newest);
        store.receive().forget(Duration.ofDays(1));
        assertThat(fixture.another().receive().newest(SOURCE)).contains(newest);
    }

    @Test
    void a_place_of_a_later_era_is_newer_whatever_its_time() throws Exception {
        Instant at = Instant.parse("2026-01-02T03:04:05Z");
        Placed.Place later = new Placed.Place(1, 0, Instant.EPOCH);
        place(SOURCE, later);
        place(SOURCE, new Placed.Place(0, 17, at));
        store.receive().forget(Duration.ofDays(1));
        assertThat(store.receive().newest(SOURCE)).contains(later);
    }

    @Test
    void a_rollback_keeps_no_place() throws Exception {
        Placed.Place first = new Placed.Place(0, 16, Instant.EPOCH);
        place(SOURCE, first);
        T transaction = fixture.begin();
        store.receive().place(transaction, SOURCE, new Placed.Place(0, 17, Instant.EPOCH));
        fixture.rollback(transaction);
        assertThat(store.receive().newest(SOURCE)).contains(first);
    }

    private void place(String reader, Placed.Place place) throws Exception {
        store.transact().transact(transaction -> {
            store.receive().place(transaction, reader, place);
            return true;
        });
    }

    @Test
    void nothing_is_received_of_nothing() {
        assertThat(receive(SOURCE, List.of())).isEmpty();
        assertThat(receive(SOURCE, entries(1))).hasSize(1);
    }

    private static List<Append.Entry> entries(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> entry(KEY, "text " + number))
                .toList();
    }

    private Set<EventId> receive(String source, List<Append.Entry> entries) {
        try {
            return store.transact().transact(transaction -> store.receive().receive(transaction, source, entries));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<String> payloads() {
        return reader(KEY).drain(LaneReader.MANY).stream()
                .map(StoredEvent::payload)
                .toList();
    }
}
