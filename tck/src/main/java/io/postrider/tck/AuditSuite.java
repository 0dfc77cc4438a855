package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.StoredEvent;
import io.postrider.operate.Audit;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.Operate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Audit: each thing an operator does is on record, and nothing that was not done. */
public abstract class AuditSuite<T> extends StoreCase<T> {
    private static final By ANN = new By("ann", "ticket 7");
    private static final By BEN = new By("ben", "");

    @Test
    void a_decision_is_on_record_with_who_when_why_and_what() {
        StoredEvent event = bury(1).get(0);
        store.operate().replay(SUBSCRIPTION, event.position(), ANN);
        assertThat(entries(Audit.Query.ALL)).singleElement().satisfies(entry -> {
            assertThat(entry.by()).isEqualTo(ANN);
            assertThat(entry.action()).isEqualTo(Action.REPLAY);
            assertThat(entry.subscription()).isEqualTo(SUBSCRIPTION);
            assertThat(entry.position()).isEqualTo(event.position());
            assertThat(entry.event()).isEqualTo(event.id());
            assertThat(entry.operation()).isNull();
            assertThat(entry.details()).isEmpty();
            assertThat(entry.at())
                    .isBetween(Instant.now().minus(LONG_LEASE), Instant.now().plus(Duration.ofMinutes(1)));
        });
    }

    @Test
    void what_was_not_done_is_not_on_record() {
        StoredEvent event = bury(1).get(0);
        store.operate().discard(SUBSCRIPTION, event.position(), ANN);
        store.operate().discard(SUBSCRIPTION, event.position(), ANN);
        store.operate().replay(SUBSCRIPTION, event.position(), ANN);
        store.operate().pause("unknown", ANN);
        store.operate().resume(SUBSCRIPTION, ANN);
        store.operate().skipKey(SUBSCRIPTION, "ben", ANN);
        store.operations().cancel(4711, ANN);
        assertThat(entries(Audit.Query.ALL)).extracting(Audit.Entry::action).containsExactly(Action.DISCARD);
    }

    @Test
    void every_kind_of_decision_is_on_record() {
        List<StoredEvent> events = bury(6);
        store.operate().replay(SUBSCRIPTION, events.get(0).position(), ANN);
        store.operate().discard(SUBSCRIPTION, events.get(1).position(), ANN);
        store.operate().edit(SUBSCRIPTION, events.get(2).position(), Operate.Edit.of(drawId()), ANN);
        store.operate().releaseKey(SUBSCRIPTION, "ann", ANN);
        store.operate().skipKey(SUBSCRIPTION, "ann", ANN);
        store.operate().pause(SUBSCRIPTION, ANN);
        store.operate().resume(SUBSCRIPTION, ANN);
        store.operate().drain(NODE, ANN);
        store.operate().undrain(NODE, ANN);
        assertThat(entries(Audit.Query.ALL))
                .extracting(Audit.Entry::action)
                .containsExactly(
                        Action.UNDRAIN,
                        Action.DRAIN,
                        Action.RESUME,
                        Action.PAUSE,
                        Action.SKIP_KEY,
                        Action.SKIP_KEY,
                        Action.SKIP_KEY,
                        Action.RELEASE_KEY,
                        Action.RELEASE_KEY,
                        Action.RELEASE_KEY,
                        Action.EDIT,
                        Action.DISCARD,
                        Action.REPLAY);
        assertThat(entries(Audit.Query.ALL).get(0).details()).isEqualTo(Map.of("node", NODE));
    }

    @Test
    void of_an_edit_it_has_which_fields_changed_and_the_new_id_and_nothing_of_what_is_in_them() {
        StoredEvent event = bury(1).get(0);
        Operate.Edit edit = Operate.Edit.of(drawId()).payload("\"secret\"").type("letter.mended");
        store.operate().edit(SUBSCRIPTION, event.position(), edit, ANN);
        assertThat(entries(Audit.Query.ALL).get(0).details())
                .isEqualTo(Map.of("newId", edit.id().toString(), "payload", "changed", "type", "changed"));
    }

    @Test
    void it_is_read_newest_first_and_page_by_page() {
        List<StoredEvent> events = bury(5);
        events.forEach(event -> store.operate().discard(SUBSCRIPTION, event.position(), ANN));
        List<Audit.Entry> first = store.audit().entries(Audit.Query.ALL, Long.MAX_VALUE, 3);
        assertThat(first)
                .extracting(Audit.Entry::event)
                .containsExactly(
                        events.get(4).id(), events.get(3).id(), events.get(2).id());
        assertThat(store.audit().entries(Audit.Query.ALL, first.get(2).number(), 3))
                .extracting(Audit.Entry::event)
                .containsExactly(events.get(1).id(), events.get(0).id());
    }

    @Test
    void it_is_read_by_subscription_action_who_and_event() {
        List<StoredEvent> events = bury(2);
        store.operate().replay(SUBSCRIPTION, events.get(0).position(), ANN);
        store.operate().discard(SUBSCRIPTION, events.get(1).position(), BEN);
        store.operate().drain(NODE, BEN);
        assertThat(entries(Audit.Query.ALL.subscription(SUBSCRIPTION))).hasSize(2);
        assertThat(entries(Audit.Query.ALL.subscription("other"))).isEmpty();
        assertThat(entries(Audit.Query.ALL.action(Action.DISCARD)))
                .extracting(Audit.Entry::by)
                .containsExactly(BEN);
        assertThat(entries(Audit.Query.ALL.who("ben")))
                .extracting(Audit.Entry::action)
                .containsExactly(Action.DRAIN, Action.DISCARD);
        assertThat(entries(Audit.Query.ALL.event(events.get(0).id()).who("ann")))
                .extracting(Audit.Entry::action)
                .containsExactly(Action.REPLAY);
        assertThat(entries(Audit.Query.ALL.event(events.get(0).id()).who("ben")))
                .isEmpty();
    }

    private List<Audit.Entry> entries(Audit.Query query) {
        return store.audit().entries(query, Long.MAX_VALUE, 100);
    }

    /** Dead events of one key. */
    private List<StoredEvent> bury(int count) {
        committed("ann", numbered("a", count));
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(count);
        assertThat(reader.settle(
                        new Counts(0, 0, 0, count, 0, 0),
                        events.stream().map(StoreCase::dead).toList(),
                        List.of()))
                .isTrue();
        return events;
    }
}
