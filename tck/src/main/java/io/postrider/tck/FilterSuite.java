package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.operate.Audit;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.operate.Search;
import io.postrider.operate.Why;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.FilterText;
import io.postrider.store.Park;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Filters: a change fences, what a lane has passed is judged by the filter of then, and one that nobody has goes. */
public abstract class FilterSuite<T> extends StoreCase<T> {
    private static final String PARCELS = "parcel.*";
    private static final Duration NO_TIME = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofHours(1);

    // ---- changes ----------------------------------------------------------------------------------------------------

    @Test
    void a_change_takes_the_lanes_away_so_that_nothing_is_settled_under_the_old_filter() {
        committed("ann", "a");
        LaneReader old = reader("ann");
        old.drain();
        change(PARCELS);
        assertThat(old.settle(1)).isFalse();
        assertThat(claim(NODE, Lane.COUNT_DEFAULT)).isEmpty();
        assertThat(lane(OTHER_NODE, PARCELS, "ann").drain()).containsExactly("a");
    }

    @Test
    void the_same_filter_again_takes_nothing_away() {
        committed("ann", "a");
        LaneReader owner = reader("ann");
        owner.drain();
        assertThat(change(FILTER)).isEqualTo(Subscriptions.Registered.FOUND);
        assertThat(owner.settle(1)).isTrue();
    }

    @Test
    void a_change_tells_what_it_replaced_and_which_live_nodes_have_another_filter() {
        register();
        Map<String, String> filters = Map.of(SUBSCRIPTION, FILTER);
        store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION), filters);
        store.renew().renew("silent", NO_TIME, Set.of(SUBSCRIPTION), filters);
        store.renew().renew(OTHER_NODE, LONG_LEASE, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, PARCELS));
        eventually()
                .holds(() -> assertThat(store.operate().nodes().stream()
                                .filter(Operate.Member::alive)
                                .map(Operate.Member::id))
                        .containsExactlyInAnyOrder(NODE, OTHER_NODE));
        assertThat(store.subscriptions().register(SUBSCRIPTION, Start.beginning(), PARCELS, "node-3"))
                .isEqualTo(new Subscriptions.Registered(false, 0, FILTER, List.of(NODE)));
    }

    @Test
    void effects_may_have_been_recorded_before_the_form_of_effects_changed_and_at_no_other_time() {
        String withEffect = FILTER + " " + FilterText.WITH_EFFECT;
        register();
        change(PARCELS);
        assertThat(recordedUntil(PARCELS)).as("types alone have changed").isNull();
        change(withEffect);
        Instant until = Objects.requireNonNull(recordedUntil(withEffect));
        assertThat(until)
                .isBetween(Instant.now(), Instant.now().plus(Claim.ClaimedLane.RECORDED_BEYOND.multipliedBy(2)));
        store.renew().renew(OTHER_NODE, LONG_LEASE, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, withEffect));
        store.renew().leave(OTHER_NODE);
        assertThat(recordedUntil(withEffect)).as("a node has left").isEqualTo(until);
        change(PARCELS + " " + FilterText.WITH_EFFECT);
        assertThat(recordedUntil(PARCELS + " " + FilterText.WITH_EFFECT))
                .as("types have changed since")
                .isEqualTo(until);
    }

    private @Nullable Instant recordedUntil(String filter) {
        store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, filter));
        Claim.ClaimedLane claimed = store.claim()
                .claim(new Claim.Claimant(NODE, SUBSCRIPTION, filter, Park.View.of(Park.Wanted.WAITING)), List.of(), 1)
                .get(0);
        store.claim().release(List.of(claimed.ownership()));
        return claimed.recordedUntil();
    }

    @Test
    void a_change_is_audited_with_both_filters() {
        register();
        change(PARCELS);
        change(PARCELS);
        assertThat(store.audit().entries(Audit.Query.ALL.subscription(SUBSCRIPTION), Long.MAX_VALUE, 10))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.action()).isEqualTo(Audit.Action.CHANGE_FILTER);
                    assertThat(entry.by().who()).isEqualTo(OTHER_NODE);
                    assertThat(entry.details()).isEqualTo(Map.of("from", FILTER, "to", PARCELS));
                });
    }

    @Test
    void lanes_are_shared_among_the_nodes_that_have_the_filter() {
        register();
        store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, FILTER));
        change(PARCELS);
        assertThat(store.renew()
                        .renew(OTHER_NODE, LONG_LEASE, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, PARCELS))
                        .shared()
                        .get(SUBSCRIPTION))
                .satisfies(shared -> assertThat(shared.nodes()).isEqualTo(1));
    }

    @Test
    void a_node_with_another_filter_gets_no_tasks() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(Delivery.task(event, someTime())))).isTrue();
        assertThat(tasks(NODE, PARCELS)).isEmpty();
        assertThat(tasks(NODE, FILTER)).hasSize(1);
    }

    @Test
    void a_task_that_was_claimed_only_to_be_skipped_is_ready_again_when_the_filter_changes() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(Delivery.task(event, someTime())))).isTrue();
        change(PARCELS);
        Claim.ClaimedDelivery claimed = tasks(NODE, PARCELS).get(0);
        change(FILTER);
        Tasks.HeldTask held = new Tasks.HeldTask(event.lane(), event.position(), claimed.claim());
        assertThat(store.tasks()
                        .settle(SUBSCRIPTION, List.of(new Tasks.Ended(held, new Counts(0, 1, -1, 0, 0, 0), null))))
                .isEmpty();
        assertThat(tasks(OTHER_NODE, FILTER)).hasSize(1);
    }

    @Test
    void a_task_that_its_owner_runs_stays_its_own_when_a_filter_goes_and_comes_back() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(Delivery.task(event, someTime())))).isTrue();
        store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, FILTER));
        assertThat(tasks(NODE, FILTER)).hasSize(1);
        change(PARCELS);
        change(FILTER);
        assertThat(tasks(OTHER_NODE, FILTER)).isEmpty();
    }

    // ---- the filter of then -----------------------------------------------------------------------------------------

    @Test
    void an_event_is_judged_by_the_filter_under_which_its_lane_passed_it() {
        committed("ann", "skipped");
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), PARCELS);
        assertThat(why(newest())).isEqualTo(new Why.NotMatched(PARCELS));
        StoredEvent skipped = pass(PARCELS, new Counts(0, 1, 0, 0, 0, 0));
        assertSkipped(skipped, PARCELS);
        change(FILTER);
        committed("ann", "delivered");
        assertSkipped(skipped, PARCELS);
        StoredEvent delivered = pass(FILTER, new Counts(1, 0, 0, 0, 0, 0));
        change(PARCELS);
        committed("ann", "pending");
        assertSkipped(skipped, PARCELS);
        assertThat(why(delivered)).isInstanceOf(Why.Delivered.class);
        assertThat(why(newest())).isEqualTo(new Why.NotMatched(PARCELS));
        assertThat(found(Search.State.SKIPPED)).containsExactly("skipped");
        assertThat(found(Search.State.DELIVERED)).containsExactly("delivered");
        assertThat(found(Search.State.PENDING)).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(1, 1, 0, 0, 0, 0));
    }

    @Test
    void changes_without_a_settlement_in_between_do_not_hide_the_filter_of_then() {
        committed("ann", "skipped");
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), PARCELS);
        StoredEvent skipped = pass(PARCELS, new Counts(0, 1, 0, 0, 0, 0));
        change(FILTER);
        change("letter.*");
        change(FILTER);
        assertSkipped(skipped, PARCELS);
    }

    @Test
    void a_task_is_judged_by_the_filter_of_then_although_nothing_was_settled_under_it() {
        committed("ann", "skipped");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.park(List.of(Delivery.task(event, someTime())))).isTrue();
        change(PARCELS);
        Claim.ClaimedDelivery claimed = tasks(NODE, PARCELS).get(0);
        Tasks.HeldTask held = new Tasks.HeldTask(event.lane(), event.position(), claimed.claim());
        Tasks.Ended ended = new Tasks.Ended(held, new Counts(0, 1, -1, 0, 0, 0), null);
        assertThat(store.tasks().settle(SUBSCRIPTION, List.of(ended))).containsExactly(held);
        change(FILTER);
        assertSkipped(event, PARCELS);
        change("other.*");
        assertSkipped(event, PARCELS);
    }

    @Test
    void what_commits_late_is_judged_by_the_filter_under_which_it_is_read() {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), PARCELS);
        T open = fixture.begin();
        append(open, "ann", "late");
        committed("ann", "skipped");
        StoredEvent skipped = pass(PARCELS, new Counts(0, 1, 0, 0, 0, 0));
        change(FILTER);
        fixture.commit(open);
        StoredEvent late = pass(FILTER, new Counts(1, 0, 0, 0, 0, 0));
        assertThat(late.position()).isLessThan(skipped.position());
        assertThat(why(late)).isInstanceOf(Why.Delivered.class);
        assertSkipped(skipped, PARCELS);
    }

    @Test
    void an_event_that_waited_in_a_row_is_skipped_by_the_filter_that_settles_it() {
        committed("ann", "parked");
        LaneReader reader = reader("ann");
        StoredEvent parked = reader.drain(1).get(0);
        assertThat(reader.park(List.of(parked(parked)))).isTrue();
        change(PARCELS);
        assertThat(lane(OTHER_NODE, PARCELS, "ann")
                        .settle(new Counts(0, 1, -1, 0, 0, 0), List.of(), List.of(parked.position())))
                .isTrue();
        assertSkipped(parked, PARCELS);
        change(FILTER);
        assertSkipped(parked, PARCELS);
        assertThat(found(Search.State.SKIPPED)).containsExactly("parked");
        assertThat(found(Search.State.DELIVERED)).isEmpty();
    }

    @Test
    void a_subscription_of_the_same_name_knows_nothing_of_the_filters_of_one_that_was_removed() {
        committed("ann", "a");
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), PARCELS);
        pass(PARCELS, new Counts(0, 1, 0, 0, 0, 0));
        change(FILTER);
        remove(SUBSCRIPTION);
        register();
        StoredEvent again = pass(FILTER, new Counts(1, 0, 0, 0, 0, 0));
        assertThat(why(again)).isInstanceOf(Why.Delivered.class);
    }

    // ---- a filter that nobody has -----------------------------------------------------------------------------------

    @Test
    void a_filter_that_a_live_node_has_is_not_taken_back() {
        register();
        change(PARCELS);
        store.renew().renew(OTHER_NODE, LONG_LEASE, Set.of(), Map.of(SUBSCRIPTION, PARCELS));
        assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, Duration.ZERO, NODE))
                .isEmpty();
        store.renew().leave(OTHER_NODE);
        assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, LONG, NODE))
                .isEmpty();
        eventually()
                .holds(() -> assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, NO_TIME, NODE))
                        .contains(PARCELS));
        assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, NO_TIME, OTHER_NODE))
                .isEmpty();
    }

    @Test
    void a_filter_whose_node_fell_silent_is_taken_back_after_its_lease_and_the_time_given() {
        committed("ann", "a");
        LaneReader old = reader("ann");
        change(PARCELS);
        store.renew().renew(OTHER_NODE, NO_TIME, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, PARCELS));
        assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, LONG, NODE))
                .isEmpty();
        eventually()
                .holds(() -> assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, NO_TIME, NODE))
                        .contains(PARCELS));
        old.drain();
        assertThat(old.settle(1)).isFalse();
        assertThat(lane(NODE, FILTER, "ann").drain()).containsExactly("a");
        assertThat(store.audit().entries(Audit.Query.ALL.subscription(SUBSCRIPTION), Long.MAX_VALUE, 1))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.action()).isEqualTo(Audit.Action.TAKE_FILTER_BACK);
                    assertThat(entry.by().who()).isEqualTo(NODE);
                    assertThat(entry.details()).isEqualTo(Map.of("from", PARCELS, "to", FILTER));
                });
    }

    @Test
    void the_filter_from_before_comes_first_while_a_live_node_has_it() {
        register();
        change(PARCELS);
        store.renew().renew(NODE, LONG_LEASE, Set.of(), Map.of(SUBSCRIPTION, FILTER));
        store.renew().renew(OTHER_NODE, LONG_LEASE, Set.of(), Map.of(SUBSCRIPTION, "card.*"));
        Subscriptions.Registered same =
                store.subscriptions().register(SUBSCRIPTION, Start.beginning(), PARCELS, "node-3");
        assertThat(same).isEqualTo(Subscriptions.Registered.FOUND);
        eventually()
                .holds(() -> assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, NO_TIME, NODE))
                        .contains(PARCELS));
        change(PARCELS);
        eventually().holds(() -> {
            assertThat(store.subscriptions().takeBack(SUBSCRIPTION, "card.*", NO_TIME, OTHER_NODE))
                    .isEmpty();
            assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, NO_TIME, NODE))
                    .contains(PARCELS);
        });
    }

    @Test
    void nobody_takes_back_the_filter_of_a_subscription_that_was_removed() {
        register();
        change(PARCELS);
        assertThat(remove(SUBSCRIPTION)).isTrue();
        assertThat(store.subscriptions().takeBack(SUBSCRIPTION, FILTER, Duration.ZERO, NODE))
                .isEmpty();
        assertThat(store.browse().subscriptions()).isEmpty();
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    private Subscriptions.Registered change(String filter) {
        return store.subscriptions().register(SUBSCRIPTION, Start.beginning(), filter, OTHER_NODE);
    }

    /** The lane of a key, taken with all others. */
    private LaneReader lane(String node, String filter, String key) {
        store.renew().renew(node, LONG_LEASE, Set.of(SUBSCRIPTION), Map.of(SUBSCRIPTION, filter));
        return of(
                key,
                store.claim().claim(claimant(node, SUBSCRIPTION, filter), List.of(), Lane.COUNT_DEFAULT).stream()
                        .map(claimed -> new LaneReader(store, claimed))
                        .toList());
    }

    /** Ann's lane passes its next event under this filter. */
    private StoredEvent pass(String filter, Counts counts) {
        LaneReader reader = lane(NODE, filter, "ann");
        List<StoredEvent> read = reader.drain(LaneReader.MANY);
        assertThat(read).hasSize(1);
        assertThat(reader.settle(counts, List.of(), List.of())).isTrue();
        return read.get(0);
    }

    private List<Claim.ClaimedDelivery> tasks(String node, String filter) {
        return store.tasks()
                .claim(new Tasks.Claimant(node, SUBSCRIPTION, LONG_LEASE, Duration.ZERO, Tasks.Types.ALL, filter), 10);
    }

    private Why why(StoredEvent event) {
        return store.search().why(SUBSCRIPTION, event.id());
    }

    private void assertSkipped(StoredEvent event, String filter) {
        assertThat(why(event)).isInstanceOfSatisfying(Why.Skipped.class, skipped -> {
            assertThat(skipped.filter()).isEqualTo(filter);
            assertThat(skipped.at()).isNotNull();
        });
        assertThat(store.search().story(event.id()).orElseThrow().standings())
                .singleElement()
                .satisfies(standing -> assertThat(standing.why()).isEqualTo(why(event)));
    }

    private List<String> found(Search.State state) {
        return LaneReader.texts(store.search()
                .deliveries(SUBSCRIPTION, state, EventFilter.ALL, null, 10)
                .events());
    }

    private StoredEvent newest() {
        return store.search().events(EventFilter.ALL, null, 1).events().get(0);
    }
}
