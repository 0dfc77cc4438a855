package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Schedule;
import io.postrider.store.Append;
import io.postrider.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Append: what a transaction commits exists, and nothing else. */
public abstract class AppendSuite<T> extends StoreCase<T> {

    @Test
    void an_event_exists_once_its_transaction_commits() {
        LaneReader reader = reader("ann");
        T transaction = fixture.begin();
        append(transaction, "ann", "a");
        assertThat(reader.drain()).isEmpty();
        fixture.commit(transaction);
        assertThat(reader.drain()).containsExactly("a");
    }

    @Test
    void nothing_of_a_transaction_that_was_rolled_back_is_ever_read() {
        LaneReader reader = reader("ann");
        T transaction = fixture.begin();
        append(transaction, "ann", "never", "ever");
        committed("ann", "a");
        fixture.rollback(transaction);
        committed("ann", "b");
        assertThat(reader.drain()).containsExactly("a", "b");
    }

    @Test
    void a_transaction_may_append_several_times() {
        LaneReader reader = reader("ann");
        T transaction = fixture.begin();
        append(transaction, "ann", "a");
        append(transaction, "ann", "b", "c");
        fixture.commit(transaction);
        assertThat(reader.drain()).containsExactly("a", "b", "c");
    }

    // ---- with the commit --------------------------------------------------------------------------------------------

    @Test
    void events_that_wait_for_the_commit_are_committed_with_what_the_transaction_did() throws Exception {
        LaneReader reader = reader("ann");
        store.transact().transact(transaction -> {
            fixture.effect(transaction, "effect");
            assertThat(store.append().mayWait(transaction, () -> {})).isTrue();
            store.append().appendAndCommit(transaction, List.of(entry("ann", "a"), entry("ann", "b")));
            return true;
        });
        assertThat(reader.drain()).containsExactly("a", "b");
        assertThat(fixture.effects()).containsExactly("effect");
    }

    @Test
    void an_event_that_the_log_refuses_at_the_commit_undoes_everything() {
        LaneReader reader = reader("ann");
        Append.Entry refused = new Append.Entry(drawId(), TYPE, "ann", "no JSON", Headers.NONE, null);
        assertThatThrownBy(() -> store.transact().transact(transaction -> {
                    fixture.effect(transaction, "effect");
                    store.append().appendAndCommit(transaction, List.of(refused));
                    return true;
                }))
                .isNotInstanceOf(StoreException.class);
        assertNothingOf(reader);
    }

    @Test
    void a_commit_that_the_store_refuses_undoes_the_events_that_waited_for_it() {
        LaneReader reader = reader("ann");
        assertThatThrownBy(() -> store.transact().transact(transaction -> {
                    fixture.effect(transaction, "effect");
                    fixture.refusedAtCommit(transaction);
                    store.append().appendAndCommit(transaction, List.of(entry("ann", "a")));
                    return true;
                }))
                .isNotInstanceOf(StoreException.class)
                .hasMessageContaining(StoreFixture.REFUSED);
        assertNothingOf(reader);
    }

    /** And the next transaction is a good one. */
    private void assertNothingOf(LaneReader reader) {
        committed("ann", "next");
        assertThat(reader.drain()).containsExactly("next");
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void in_a_transaction_that_others_commit_no_event_waits_that_they_would_leave_out() {
        T transaction = fixture.begin();
        append(transaction, "ann", "a");
        fixture.commit(transaction);
        assertThat(store.append().mayWait(transaction, () -> {})).isFalse();
        assertThat(LaneReader.texts(reader("ann").drain(LaneReader.MANY))).containsExactly("a");
    }

    @Test
    void a_batch_keeps_its_order() {
        String[] texts = numbered("n", 100);
        committed("ann", texts);
        List<StoredEvent> read = reader("ann").drain(LaneReader.MANY);
        assertThat(LaneReader.texts(read)).containsExactly(texts);
        assertThat(read).extracting(StoredEvent::position).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void an_event_is_read_as_it_was_appended() {
        Headers headers = new Headers(Map.of("correlationId", "c-1", "Ünïcode", "wörld ✓ \"quoted\""));
        String payload = "{\"text\": \"grüße ✓ 🐎\", \"list\": [1, 2.5, null, true]}";
        Append.Entry entry = new Append.Entry(drawId(), "parcel.sent", "ann", payload, headers, "acme");
        appendAlone(entry);
        StoredEvent read = reader("ann").drain(1).get(0);
        assertThat(read.id()).isEqualTo(entry.id());
        assertThat(read.type()).isEqualTo("parcel.sent");
        assertThat(read.key()).isEqualTo("ann");
        assertThat(read.tenant()).isEqualTo("acme");
        assertThat(read.headers()).isEqualTo(headers);
        JsonMapper json = JsonMapper.builder().build();
        assertThat(json.readTree(read.payload())).isEqualTo(json.readTree(payload));
        assertThat(read.appendedAt()).isCloseTo(Instant.now(), within(1, ChronoUnit.HOURS));
    }

    @Test
    void a_schedule_is_read_as_it_was_appended_alone_or_among_others() {
        Instant time = Instant.parse("2030-01-01T12:00:00.123456Z");
        List<Schedule> schedules = List.of(
                Schedule.NONE,
                Schedule.NONE.deliverAt(time),
                Schedule.NONE.expiresAt(time.plusNanos(1_000)),
                Schedule.NONE.priority(-100),
                new Schedule(time, time.plusSeconds(1), 7));
        List<Append.Entry> entries = schedules.stream()
                .map(each -> new Append.Entry(drawId(), TYPE, "ann", "1", Headers.NONE, null, each))
                .toList();
        T transaction = fixture.begin();
        store.append().append(transaction, entries);
        fixture.commit(transaction);
        entries.forEach(this::appendAlone);
        List<Schedule> twice = new ArrayList<>(schedules);
        twice.addAll(schedules);
        assertThat(reader("ann").drain(LaneReader.MANY))
                .extracting(StoredEvent::schedule)
                .containsExactlyElementsOf(twice);
    }

    @Test
    void an_event_needs_no_key_no_tenant_and_no_headers() {
        Append.Entry entry = new Append.Entry(drawId(), TYPE, null, "null", Headers.NONE, null);
        appendAlone(entry);
        register();
        List<StoredEvent> read = readAll();
        assertThat(read).hasSize(1);
        assertThat(read.get(0).key()).isNull();
        assertThat(read.get(0).tenant()).isNull();
        assertThat(read.get(0).headers()).isEqualTo(Headers.NONE);
        assertThat(read.get(0).lane()).isEqualTo(Lane.of(null, entry.id(), Lane.COUNT_DEFAULT));
    }

    @Test
    void the_lane_of_an_event_is_the_one_that_every_language_computes() {
        T transaction = fixture.begin();
        for (String key : numbered("kéy-✓-", 200)) {
            append(transaction, key, "x");
        }
        fixture.commit(transaction);
        register();
        List<StoredEvent> read = readAll();
        assertThat(read).hasSize(200);
        assertThat(read)
                .allSatisfy(event ->
                        assertThat(event.lane()).isEqualTo(Lane.of(event.key(), event.id(), Lane.COUNT_DEFAULT)));
        assertThat(read).extracting(StoredEvent::lane).containsAll(allLanes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "{} {}", "nonsense", "{'a': 1}", "[1, 2"})
    void a_payload_that_is_not_json_is_refused_and_leaves_nothing(String payload) {
        T transaction = fixture.begin();
        Append.Entry bad = new Append.Entry(drawId(), TYPE, "ann", payload, Headers.NONE, null);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        store.append().append(transaction, List.of(entry("ann", "good"), bad, entry("ann", "good"))));
        fixture.rollback(transaction);
        committed("ann", "after");
        assertThat(reader("ann").drain()).containsExactly("after");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0085b", "a\u00a0b", "\u1680a", "a\u2003", "a\u2028b", "a\u202f", "\u205f", "\u3000"})
    void a_blank_of_any_script_in_a_type_is_refused_and_leaves_nothing(String type) {
        T transaction = fixture.begin();
        Append.Entry bad = new Append.Entry(drawId(), type, "ann", "1", Headers.NONE, null);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.append().append(transaction, List.of(entry("ann", "good"), bad)))
                .withMessageContaining("an event's type has 1 to 255 characters, none of them blank");
        fixture.rollback(transaction);
        committed("ann", "after");
        assertThat(reader("ann").drain()).containsExactly("after");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0085", "\u00a0", "\u2028 \u3000"})
    void a_key_or_a_tenant_of_blanks_alone_is_refused(String blank) {
        for (boolean isKey : new boolean[] {true, false}) {
            T transaction = fixture.begin();
            Append.Entry bad =
                    new Append.Entry(drawId(), TYPE, isKey ? blank : "ann", "1", Headers.NONE, isKey ? null : blank);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> store.append().append(transaction, List.of(bad)))
                    .withMessageContaining("has 1 to 255 characters, not all of them blank");
            fixture.rollback(transaction);
        }
    }

    @Test
    void a_payload_as_large_as_a_log_takes_is_taken_and_a_larger_one_refused() {
        String largest = "x".repeat(NodeLimits.PAYLOAD_BYTES_MAX - 2);
        committed("ann", largest);
        T transaction = fixture.begin();
        assertThatIllegalArgumentException().isThrownBy(() -> append(transaction, "ann", largest + "x"));
        fixture.rollback(transaction);
        assertThat(reader("ann").drain()).containsExactly(largest);
    }

    @Test
    void work_in_a_transaction_of_the_store_is_committed_when_it_returns() throws Exception {
        String answer = store.transact().transact(transaction -> {
            append(transaction, "ann", "a");
            return "answer";
        });
        assertThat(answer).isEqualTo("answer");
        assertThat(reader("ann").drain()).containsExactly("a");
    }

    @Test
    void work_in_a_transaction_of_the_store_is_rolled_back_when_it_throws() {
        IOException failure = new IOException("the work's own");
        assertThatThrownBy(() -> store.transact().transact(transaction -> {
                    append(transaction, "ann", "never");
                    throw failure;
                }))
                .isSameAs(failure);
        committed("ann", "a");
        assertThat(reader("ann").drain()).containsExactly("a");
    }

    private void appendAlone(Append.Entry entry) {
        T transaction = fixture.begin();
        store.append().append(transaction, List.of(entry));
        fixture.commit(transaction);
    }

    private List<StoredEvent> readAll() {
        List<StoredEvent> all = new ArrayList<>();
        readers(NODE, SUBSCRIPTION).forEach(reader -> all.addAll(reader.drain(LaneReader.MANY)));
        return all;
    }

    private static List<Lane> allLanes() {
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < Lane.COUNT_DEFAULT; i++) {
            lanes.add(new Lane(i));
        }
        return lanes;
    }
}
