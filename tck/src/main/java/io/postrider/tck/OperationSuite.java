package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.Postrider;
import io.postrider.operate.Audit;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Kind;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.State;
import io.postrider.operate.Operation.Target;
import io.postrider.policy.AfterDead;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Operations carried out by nodes: canary, pace, cancel, order per key, and the story they leave. */
public abstract class OperationSuite<T> extends EngineCase<T> {
    private static final int KEYS = 6;
    private static final int EACH = 5;
    private static final int MANY = KEYS * EACH;
    private static final Target ALL = Target.dead(SUBSCRIPTION);

    private final Broken handler = new Broken();

    /** Fails with every event until it is mended. */
    private static final class Broken {
        final Letters letters = new Letters();
        volatile boolean mended;

        void handle(String text, io.postrider.EventContext context) throws Exception {
            if (!mended) {
                throw new IllegalStateException("no such address: " + text);
            }
            letters.handle(text, context);
        }
    }

    @Test
    void a_bulk_replay_delivers_every_dead_event_in_the_order_of_its_key() {
        Postrider<T> node = buried(AfterDead.STAY_BLOCKED);
        handler.mended = true;
        Operation started = start(Kind.REPLAY, ALL.filter(EventFilter.ALL), Pace.UNLIMITED);
        assertAllDelivered(MANY);
        assertEnds(started, State.FINISHED);
        assertOrderOfEachKey();
        assertThat(node.operator().operations().find(started.id()).orElseThrow().progress())
                .isEqualTo(new Operation.Progress(
                        started.progress().total(), started.progress().total(), 0, 0));
    }

    @Test
    void what_is_dead_behind_one_another_is_replayed_in_order_too() {
        buried(AfterDead.GO_ON);
        handler.mended = true;
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED.canary(3, 0));
        assertAllDelivered(MANY);
        assertEnds(started, State.FINISHED);
        assertOrderOfEachKey();
        assertThat(handler.letters.overlapped()).isFalse();
        assertThat(story(started))
                .containsExactly(Action.OPERATION_FINISHED, Action.OPERATION_CANARY_PASSED, Action.OPERATION_STARTED);
    }

    @Test
    void a_canary_that_fails_again_stops_the_rest() {
        buried(AfterDead.GO_ON);
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED.canary(3, 1));
        Operation ended = assertEnds(started, State.STOPPED_BY_CANARY);
        assertThat(ended.progress().done()).isEqualTo(3);
        assertThat(ended.progress().failedAgain()).isGreaterThanOrEqualTo(2);
        assertThat(ended.reasons()).isNotEmpty().allMatch(reason -> reason.contains("no such address"));
        assertLedger(new Counts(0, 0, 0, MANY, 0, 0), 0);
        assertThat(story(started)).containsExactly(Action.OPERATION_STOPPED_BY_CANARY, Action.OPERATION_STARTED);
    }

    @Test
    void a_bulk_discard_lets_what_matches_go_and_nothing_else() {
        buried(AfterDead.GO_ON);
        Operation started = start(Kind.DISCARD, ALL.filter(EventFilter.ALL.key("key-1")), Pace.UNLIMITED);
        assertEnds(started, State.FINISHED);
        assertLedger(new Counts(0, 0, 0, MANY - EACH, 0, EACH), 0);
        assertThat(rows(Delivery.Status.DEAD)).noneMatch(row -> "key-1".equals(row.key()));
    }

    @Test
    void a_slow_operation_can_be_cancelled_and_keeps_its_pace_until_then() {
        buried(AfterDead.GO_ON);
        handler.mended = true;
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED.perSecond(1));
        eventually().holds(() -> assertThat(find(started).progress().done()).isPositive());
        assertThat(store.operations().cancel(started.id(), BY).done()).isTrue();
        long done = find(started).progress().done();
        assertThat(done).isBetween(1L, (long) MANY - 1);
        assertLedger(new Counts(done, 0, 0, MANY - done, 0, 0), 0);
        assertThat(find(started).state()).isEqualTo(State.CANCELLED);
    }

    @Test
    void another_node_goes_on_where_one_was_stopped() {
        Postrider<T> first = buried(AfterDead.GO_ON);
        handler.mended = true;
        Operation started = start(Kind.REPLAY, ALL, Pace.UNLIMITED.perSecond(4));
        eventually().holds(() -> assertThat(find(started).progress().done()).isPositive());
        first.close();
        assertThat(find(started).state()).isEqualTo(State.RUNNING);
        subscribe(node(attentive()), AfterDead.GO_ON);
        assertEnds(started, State.FINISHED);
        assertAllDelivered(MANY);
        assertThat(handler.letters.delivered()).doesNotHaveDuplicates();
        assertOrderOfEachKey();
    }

    @Test
    void a_node_carries_out_operations_of_subscriptions_it_does_not_run() {
        buried(AfterDead.GO_ON).close();
        Postrider<T> other = node(attentive());
        other.subscribe("other").on("none", (payload, context) -> {}).start();
        Operation started = start(Kind.DISCARD, ALL, Pace.UNLIMITED);
        assertEnds(started, State.FINISHED);
        assertLedger(new Counts(0, 0, 0, 0, 0, MANY), 0);
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    /** A node whose handler has failed with every event of several keys; where keys stay blocked, with their first. */
    private Postrider<T> buried(AfterDead afterDead) {
        Postrider<T> node = node(attentive());
        subscribe(node, afterDead);
        List<Event> events = new ArrayList<>();
        for (int n = 0; n < EACH; n++) {
            for (int key = 0; key < KEYS; key++) {
                events.add(letter("key-" + key, key + "." + n));
            }
        }
        send(node, events);
        int dead = afterDead == AfterDead.GO_ON ? MANY : KEYS;
        assertLedger(new Counts(0, 0, MANY - dead, dead, 0, 0), 0);
        return node;
    }

    private void subscribe(Postrider<T> node, AfterDead afterDead) {
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, handler::handle)
                .retry(QUICK.attempts(1))
                .afterDead(afterDead)
                .start();
    }

    private Operation start(Kind kind, Target target, Pace pace) {
        return store.operations().start(kind, target, pace, BY).orElseThrow();
    }

    private Operation find(Operation operation) {
        return store.operations().find(operation.id()).orElseThrow();
    }

    private Operation assertEnds(Operation operation, State state) {
        eventually().holds(() -> assertThat(find(operation).state()).isEqualTo(state));
        return find(operation);
    }

    private void assertOrderOfEachKey() {
        IntStream.range(0, KEYS)
                .forEach(key -> assertThat(handler.letters.delivered("key-" + key))
                        .isEqualTo(IntStream.range(0, EACH)
                                .mapToObj(n -> key + "." + n)
                                .toList()));
    }

    private List<Action> story(Operation operation) {
        return store.audit().entries(Audit.Query.ALL.operation(operation.id()), Long.MAX_VALUE, 10).stream()
                .map(Audit.Entry::action)
                .toList();
    }
}
