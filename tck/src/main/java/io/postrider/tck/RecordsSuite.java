package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.StoredEvent;
import io.postrider.operate.Audit;
import io.postrider.operate.Counts;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Kind;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.Target;
import io.postrider.operate.Story;
import io.postrider.policy.Retention;
import io.postrider.store.Chunks;
import io.postrider.store.Retain;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Records that grow with every decision, and how long they are kept: audit, operations, what was let go, attempts. */
public abstract class RecordsSuite<T> extends EngineCase<T> {
    private static final Retain.Kept FOR_GOOD =
            new Retain.Kept(Retention.FOR_GOOD, Retention.FOR_GOOD, Retention.FOR_GOOD);
    private static final Retain.Kept HOURS =
            new Retain.Kept(Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1));
    private static final Retain.Kept NOT_AT_ALL = new Retain.Kept(Duration.ZERO, Duration.ZERO, Duration.ZERO);

    @Test
    void records_are_kept_for_as_long_as_told() {
        StoredEvent event = bury();
        discardAll();
        for (Retain.Kept kept : List.of(FOR_GOOD, HOURS)) {
            assertThat(store.retain().forget(kept)).isFalse();
            assertThat(entries(Audit.Query.ALL.event(event.id()))).isNotEmpty();
            assertThat(operations()).hasSize(1);
        }
    }

    @Test
    void old_entries_of_the_audit_go_and_numbers_are_not_given_again() {
        bury();
        discardAll();
        long last = entries(Audit.Query.ALL).get(0).number();
        store.retain().forget(new Retain.Kept(Duration.ZERO, HOURS.operations(), HOURS.drops()));
        assertThat(entries(Audit.Query.ALL)).isEmpty();
        assertThat(operations()).hasSize(1);
        store.operate().pause(SUBSCRIPTION, BY);
        assertThat(entries(Audit.Query.ALL))
                .singleElement()
                .satisfies(entry -> assertThat(entry.number()).isGreaterThan(last));
    }

    @Test
    void an_operation_that_has_ended_goes_with_what_it_noted_and_one_that_goes_on_stays() {
        StoredEvent event = bury();
        Operation ended = discardAll();
        Operation goesOn = start(Kind.DISCARD);
        Retain.Kept operations = new Retain.Kept(HOURS.audit(), Duration.ZERO, HOURS.drops());
        store.retain().forget(operations);
        store.retain().forget(operations);
        assertThat(operations()).containsExactly(goesOn.id());
        assertThat(entries(Audit.Query.ALL.event(event.id())))
                .as("nothing leads from the event to the operation any more")
                .isEmpty();
        assertThat(entries(Audit.Query.ALL.operation(ended.id()))).isNotEmpty();
        assertThat(start(Kind.DISCARD).id()).isGreaterThan(goesOn.id());
    }

    @Test
    void the_record_of_what_was_let_go_goes_after_its_time() {
        bury();
        store.retain().sweep(SUBSCRIPTION, Retention.DEFAULT.dead(Duration.ZERO));
        assertThat(store.retain().drops(SUBSCRIPTION, 10)).hasSize(1);
        store.retain().forget(new Retain.Kept(HOURS.audit(), HOURS.operations(), Duration.ZERO));
        assertThat(store.retain().drops(SUBSCRIPTION, 10)).isEmpty();
    }

    @Test
    void attempts_go_with_their_subscription() {
        StoredEvent event = bury();
        assertThat(attempts(event)).hasSize(1);
        remove(SUBSCRIPTION);
        register();
        assertThat(attempts(event)).isEmpty();
    }

    @Test
    void a_node_forgets_records_by_its_limits() {
        bury();
        discardAll();
        Postrider<T> node = node(quick().pruneEvery(Duration.ofMillis(50))
                .auditFor(Duration.ZERO)
                .operationsFor(Duration.ZERO)
                .dropsFor(Duration.ZERO));
        letters(node, new Letters()).start();
        eventually().holds(() -> {
            assertThat(entries(Audit.Query.ALL)).isEmpty();
            assertThat(operations()).isEmpty();
        });
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    private StoredEvent bury() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(10).get(0);
        assertThat(reader.settle(new Counts(0, 0, 0, 1, 0, 0), List.of(dead(event)), List.of()))
                .isTrue();
        return event;
    }

    private Operation start(Kind kind) {
        return store.operations()
                .start(kind, Target.dead(SUBSCRIPTION), Pace.UNLIMITED, BY)
                .orElseThrow();
    }

    private Operation discardAll() {
        Operation started = start(Kind.DISCARD);
        Chunks.HeldOperation held =
                store.chunks().take(NODE, Set.of(), LONG_LEASE, 1).get(0);
        assertThat(store.chunks()
                        .move(held, new Chunks.Room(10, 10), LONG_LEASE)
                        .orElseThrow()
                        .exhausted())
                .isTrue();
        return started;
    }

    private List<Audit.Entry> entries(Audit.Query query) {
        return store.audit().entries(query, Long.MAX_VALUE, 100);
    }

    private List<Long> operations() {
        return store.operations().list(null, Long.MAX_VALUE, 10).stream()
                .map(Operation::id)
                .toList();
    }

    private List<Story.Attempt> attempts(StoredEvent event) {
        return store.search().story(event.id()).orElseThrow().standings().stream()
                .flatMap(standing -> standing.attempts().stream())
                .toList();
    }
}
