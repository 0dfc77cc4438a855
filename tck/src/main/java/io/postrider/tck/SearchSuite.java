package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.operate.Chain;
import io.postrider.operate.Counts;
import io.postrider.operate.Search;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Search: events are found by what is known of them, newest first, in pages of bounded cost. */
public abstract class SearchSuite<T> extends StoreCase<T> {
    private static final int SOME = 10;

    private Search search() {
        return store.search();
    }

    // ---- events -----------------------------------------------------------------------------------------------------

    @Test
    void events_come_newest_first_in_pages_without_a_gap_or_a_repetition() {
        committed("ann", numbered("a", 12));
        committed(keyApartFrom("ann"), numbered("b", 12));
        List<String> expected = new ArrayList<>(List.of(numbered("b", 12)));
        expected.addAll(0, List.of(numbered("a", 12)));
        Collections.reverse(expected);
        assertThat(texts(all(EventFilter.ALL, 5))).isEqualTo(expected);
        assertThat(search().events(EventFilter.ALL, null, 5).hits()).hasSize(5);
        assertThat(search().events(EventFilter.ALL, null, 5).next()).isNotNull();
        assertThat(search().events(EventFilter.ALL, null, 100).next()).isNull();
    }

    @Test
    void events_are_found_by_each_of_their_attributes() {
        Append.Entry wanted = entry("paid", "ann", "acme", "u1", "c1");
        appendAll(
                wanted,
                entry("sent", "ann", "acme", "u1", "c1"),
                entry("paid", "bob", "acme", "u1", "c1"),
                entry("paid", "ann", "evil", "u1", "c1"),
                entry("paid", "ann", "acme", "u2", "c1"),
                entry("paid", "ann", "acme", "u1", "c2"),
                entry("paid", "ann", null, null, null));
        assertThat(found(EventFilter.ALL.type("paid"))).hasSize(6);
        assertThat(found(EventFilter.ALL.key("ann"))).hasSize(6);
        assertThat(found(EventFilter.ALL.tenant("acme"))).hasSize(5);
        assertThat(found(EventFilter.ALL.userId("u1"))).hasSize(5);
        assertThat(found(EventFilter.ALL.correlationId("c1"))).hasSize(5);
        EventFilter every =
                EventFilter.ALL.type("paid").key("ann").tenant("acme").userId("u1");
        assertThat(ids(found(every.correlationId("c1")))).containsExactly(wanted.id());
        assertThat(found(EventFilter.ALL.key("nobody"))).isEmpty();
        assertThat(found(EventFilter.ALL.userId("u3"))).isEmpty();
    }

    @Test
    void events_are_found_by_the_time_of_their_append() {
        committed("ann", "a");
        Instant between = laterThan("a");
        committed("ann", "b");
        assertThat(texts(found(EventFilter.ALL.between(null, between)))).containsExactly("a");
        assertThat(texts(found(EventFilter.ALL.between(between, null)))).containsExactly("b");
        assertThat(texts(found(EventFilter.ALL.key("ann").between(between, null))))
                .containsExactly("b");
        Instant appended = found(EventFilter.ALL).get(0).appendedAt();
        assertThat(texts(found(EventFilter.ALL.between(appended, appended.plusMillis(1)))))
                .containsExactly("b");
        assertThat(texts(found(EventFilter.ALL.between(between, appended)))).isEmpty();
    }

    @Test
    void what_is_not_committed_is_not_found() {
        T open = fixture.begin();
        append(open, "ann", "open");
        committed("ann", "committed");
        assertThat(texts(found(EventFilter.ALL.key("ann")))).containsExactly("committed");
        fixture.commit(open);
        assertThat(texts(found(EventFilter.ALL.key("ann")))).containsExactly("committed", "open");
    }

    @Test
    void a_call_looks_at_a_bounded_number_of_events_and_the_next_goes_on() {
        appendAll(entry("rare", "ann", null, null, null));
        T transaction = fixture.begin();
        for (int i = 0; i < 6; i++) {
            store.append()
                    .append(
                            transaction,
                            IntStream.range(0, 1_000)
                                    .mapToObj(n -> entry("frequent", "ann", null, null, null))
                                    .toList());
        }
        fixture.commit(transaction);
        Search.Found first = search().events(EventFilter.ALL.type("rare").key("ann"), null, SOME);
        assertThat(first.hits()).isEmpty();
        assertThat(first.next()).isNotNull();
        assertThat(all(EventFilter.ALL.type("rare").key("ann"), SOME)).hasSize(1);
    }

    @Test
    void a_page_has_a_limit_and_a_filter_that_says_nothing_finds_everything() {
        assertThatThrownBy(() -> search().events(EventFilter.ALL, null, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> search().events(EventFilter.ALL, null, Search.PAGE_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
        committed("ann", "a");
        assertThat(search().events(EventFilter.ALL, null, Search.PAGE_MAX).hits())
                .hasSize(1);
    }

    @Test
    void headers_that_sql_could_not_read_are_refused() {
        for (String value : List.of("nul \0", "half \uD83D")) {
            Headers odd = Headers.NONE.with("userId", "u1").with("note", value);
            assertThatThrownBy(() -> appendAll(new Append.Entry(drawId(), "paid", "ann", "1", odd, null)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("headers");
        }
        appendAll(entry("paid", "ann", null, "u1", null));
        assertThat(found(EventFilter.ALL.userId("u1"))).hasSize(1);
    }

    // ---- deliveries -------------------------------------------------------------------------------------------------

    @Test
    void events_are_found_by_how_they_stand_in_a_subscription() {
        committed("ann", "dead", "delivered", "retried", "blocked");
        committed(keysBeside("ann", 2).get(1), "expired", "running", "waiting");
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(LaneReader.MANY);
        assertThat(reader.settle(
                        new Counts(1, 0, 4, 1, 1, 0),
                        List.of(
                                dead(events.get(0)),
                                parked(events.get(2)).waiting(1, someTime(), "why"),
                                parked(events.get(3)),
                                parked(events.get(4)).expired(0),
                                parked(events.get(5)).running(1)),
                        List.of()))
                .isTrue();
        committed("ann", "pending");
        assertThat(texts(standing(Search.State.DEAD))).containsExactly("dead");
        assertThat(texts(standing(Search.State.EXPIRED))).containsExactly("expired");
        assertThat(texts(standing(Search.State.RUNNING))).containsExactly("running");
        assertThat(texts(standing(Search.State.WAITING))).containsExactly("retried");
        assertThat(texts(standing(Search.State.BLOCKED))).containsExactly("blocked");
        assertThat(texts(standing(Search.State.PENDING))).containsExactly("pending");
        assertThat(texts(standing(Search.State.DELIVERED))).containsExactly("waiting", "delivered");
        assertThat(standing(Search.State.READY)).isEmpty();
    }

    @Test
    void dead_events_are_found_by_their_attributes_in_pages_and_with_their_rows() {
        T transaction = fixture.begin();
        for (int i = 0; i < 9; i++) {
            store.append()
                    .append(
                            transaction,
                            List.of(entry(
                                    i % 2 == 0 ? "even" : "odd", "ann", i < 6 ? "acme" : "other", "u" + i, null)));
        }
        fixture.commit(transaction);
        LaneReader reader = reader("ann");
        assertThat(reader.bury(reader.drain(100).stream().map(StoreCase::dead).toList()))
                .isTrue();
        assertThat(dead(EventFilter.ALL, 2))
                .hasSize(9)
                .isSortedAccordingTo(
                        (a, b) -> b.event().position().compareTo(a.event().position()));
        assertThat(dead(EventFilter.ALL.type("even"), 2)).hasSize(5).allSatisfy(hit -> {
            assertThat(hit.event().type()).isEqualTo("even");
            assertThat(hit.delivery()).isNotNull();
        });
        assertThat(dead(EventFilter.ALL.tenant("acme"), 2)).hasSize(6);
        assertThat(dead(EventFilter.ALL.tenant("acme").type("odd").userId("u3"), 2))
                .hasSize(1);
        assertThat(dead(EventFilter.ALL.key("bob"), 2)).isEmpty();
    }

    @Test
    void what_a_filter_does_not_take_is_neither_pending_nor_delivered() {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "paid sent.*");
        appendAll(
                entry("paid", "ann", null, null, null),
                entry("sent.now", "ann", null, null, null),
                entry("sent", "ann", null, null, null));
        assertThat(standing(Search.State.PENDING))
                .extracting(hit -> hit.event().type())
                .containsExactly("sent.now", "paid");
    }

    // ---- chains -----------------------------------------------------------------------------------------------------

    @Test
    void a_chain_is_followed_from_cause_to_effect() {
        Append.Entry root = entry("posted", "ann", null, null, "c1");
        Append.Entry tags = caused(root, "parsed");
        Append.Entry status = caused(tags, "changed");
        Append.Entry other = caused(root, "counted");
        appendAll(root, tags, other, status, entry("unrelated", "ann", null, null, "c2"));
        Chain chain = search().chain("c1");
        assertThat(chain.complete()).isTrue();
        assertThat(chain.size()).isEqualTo(4);
        assertThat(chain.roots()).singleElement().satisfies(link -> {
            assertThat(link.event().id()).isEqualTo(root.id());
            assertThat(link.effects())
                    .extracting(effect -> effect.event().type())
                    .containsExactly("parsed", "counted");
            assertThat(link.effects().get(0).effects())
                    .extracting(effect -> effect.event().type())
                    .containsExactly("changed");
        });
        assertThat(search().chain("unknown").roots()).isEmpty();
    }

    @Test
    void a_chain_by_the_id_of_the_event_that_began_it_includes_that_event() {
        Append.Entry root = entry("posted", "ann", null, null, null);
        String id = root.id().toString();
        appendAll(root, entry("unrelated", "ann", null, null, null));
        assertThat(search().chain(id).roots())
                .extracting(link -> link.event().id())
                .containsExactly(root.id());
        Headers headers = Headers.NONE.with(Headers.CORRELATION_ID, id).with(Headers.CAUSATION_ID, id);
        appendAll(new Append.Entry(drawId(), "parsed", "bob", "{}", headers, null));
        Chain chain = search().chain(id);
        assertThat(chain.size()).isEqualTo(2);
        assertThat(chain.roots()).singleElement().satisfies(link -> {
            assertThat(link.event().id()).isEqualTo(root.id());
            assertThat(link.effects())
                    .extracting(effect -> effect.event().type())
                    .containsExactly("parsed");
        });
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    static Append.Entry entry(
            String type, String key, @Nullable String tenant, @Nullable String userId, @Nullable String correlationId) {
        Headers headers = Headers.NONE;
        headers = userId == null ? headers : headers.with(Headers.USER_ID, userId);
        headers = correlationId == null ? headers : headers.with(Headers.CORRELATION_ID, correlationId);
        return new Append.Entry(drawId(), type, key, "\"" + type + "\"", headers, tenant);
    }

    private static Append.Entry caused(Append.Entry cause, String type) {
        Headers headers = cause.headers().with(Headers.CAUSATION_ID, cause.id().toString());
        return new Append.Entry(drawId(), type, cause.key(), cause.payload(), headers, null);
    }

    private void appendAll(Append.Entry... entries) {
        T transaction = fixture.begin();
        store.append().append(transaction, Arrays.asList(entries));
        fixture.commit(transaction);
    }

    /** A time after the append of the newest event, and before any that follows. */
    private Instant laterThan(String text) {
        StoredEvent newest = found(EventFilter.ALL).get(0);
        assertThat(LaneReader.text(newest)).isEqualTo(text);
        Instant between = newest.appendedAt().plusMillis(1);
        eventually().holds(() -> assertThat(Instant.now()).isAfter(between.plusMillis(1)));
        return between;
    }

    private List<StoredEvent> found(EventFilter filter) {
        return all(filter, Search.PAGE_MAX).stream().map(Search.Hit::event).toList();
    }

    private List<Search.Hit> all(EventFilter filter, int limit) {
        return allOf(after -> search().events(filter, after, limit));
    }

    private static List<Search.Hit> allOf(Function<Search.@Nullable Bookmark, Search.Found> pages) {
        List<Search.Hit> all = new ArrayList<>();
        Search.Bookmark after = null;
        do {
            Search.Found page = pages.apply(after);
            all.addAll(page.hits());
            after = page.next();
        } while (after != null);
        return all;
    }

    private List<Search.Hit> standing(Search.State state) {
        return allOf(after -> search().deliveries(SUBSCRIPTION, state, EventFilter.ALL, after, 2));
    }

    private List<Search.Hit> dead(EventFilter filter, int limit) {
        return allOf(after -> search().deliveries(SUBSCRIPTION, Search.State.DEAD, filter, after, limit));
    }

    private static List<EventId> ids(List<StoredEvent> events) {
        return events.stream().map(StoredEvent::id).toList();
    }

    private static List<String> texts(List<?> found) {
        return found.stream()
                .map(each -> each instanceof Search.Hit hit ? hit.event() : (StoredEvent) each)
                .map(LaneReader::text)
                .toList();
    }
}
