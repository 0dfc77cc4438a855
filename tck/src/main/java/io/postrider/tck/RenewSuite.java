package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Renew;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Renew: who is alive, what they hold and what they share. */
public abstract class RenewSuite<T> extends StoreCase<T> {

    @Test
    void a_lease_that_is_renewed_in_time_is_kept() {
        register();
        renew(NODE, LONG_LEASE);
        assertThat(renewed(NODE).kept()).isTrue();
        assertThat(renewed(NODE).kept()).isTrue();
        assertThat(renewed(NODE).shared()).containsOnlyKeys(SUBSCRIPTION);
    }

    @Test
    void a_node_whose_lanes_were_taken_over_holds_none() {
        reader("ann");
        renew(NODE, SHORT_LEASE);
        takeOver(OTHER_NODE, LONG_LEASE, "ann");
        Renew.Renewal late = renewed(NODE);
        assertThat(late.held()).isEmpty();
        assertThat(late.kept())
                .as("whether the node may go on as if nothing had happened")
                .isFalse();
        assertThat(renewed(NODE).kept()).isTrue();
    }

    @Test
    void a_lease_that_ran_out_is_reported_although_nobody_has_taken_the_lanes() {
        register();
        renew(NODE, LONG_LEASE);
        assertThat(claim(NODE, 3)).hasSize(3);
        renew(NODE, SHORT_LEASE);
        eventually().holds(() -> assertThat(nodes(renewed(OTHER_NODE))).isEqualTo(1));
        assertThat(renewed(NODE).kept()).isFalse();
        assertThat(renewed(NODE).kept()).isTrue();
    }

    @Test
    void a_lease_can_be_extended_while_it_lasts_and_not_once_it_ran_out() {
        register();
        assertThat(store.renew().extend(NODE, LONG_LEASE)).as("without a lease").isFalse();
        renew(NODE, SHORT_LEASE);
        renew(OTHER_NODE, LONG_LEASE);
        assertThat(store.renew().extend(OTHER_NODE, LONG_LEASE)).isTrue();
        eventually().holds(() -> assertThat(nodes(renewed(OTHER_NODE))).isEqualTo(1));
        assertThat(store.renew().extend(NODE, LONG_LEASE))
                .as("after it ran out")
                .isFalse();
        assertThat(nodes(renewed(OTHER_NODE))).isEqualTo(1);
        assertThat(renewed(NODE).kept()).isFalse();
    }

    @Test
    void a_lease_that_is_extended_is_kept_and_shares_what_it_shared() {
        register();
        renew(NODE, Duration.ofSeconds(2));
        assertThat(store.renew().extend(NODE, LONG_LEASE)).isTrue();
        Instant end = Instant.now().plusMillis(2_100);
        eventually().holds(() -> assertThat(Instant.now()).isAfter(end));
        assertThat(nodes(renewed(OTHER_NODE))).isEqualTo(2);
        assertThat(renewed(NODE).kept()).isTrue();
    }

    @Test
    void a_renewal_lists_what_the_node_holds() {
        register();
        renew(NODE, LONG_LEASE);
        renew(OTHER_NODE, LONG_LEASE);
        List<Claim.ClaimedLane> mine = claim(NODE, 3);
        assertThat(mine).hasSize(3);
        List<Claim.ClaimedLane> others = claim(OTHER_NODE, 2);
        assertThat(renewed(NODE).held())
                .extracting(Renew.HeldLane::ownership)
                .containsExactlyInAnyOrderElementsOf(
                        mine.stream().map(Claim.ClaimedLane::ownership).toList());
        store.claim().release(List.of(mine.get(0).ownership()));
        assertThat(renewed(NODE).held()).hasSize(2);
        assertThat(renewed(OTHER_NODE).held()).hasSameSizeAs(others);
    }

    @Test
    void nodes_that_run_the_same_subscription_are_counted() {
        register();
        store.subscriptions().register("others", Start.beginning(), FILTER);
        assertThat(nodes(renewed(NODE))).isEqualTo(1);
        store.renew().renew("bystander", LONG_LEASE, Set.of("others"));
        assertThat(nodes(renewed(OTHER_NODE))).isEqualTo(2);
        assertThat(nodes(fixture.another().renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION))))
                .isEqualTo(2);
    }

    @Test
    void a_node_that_left_or_fell_silent_is_not_counted() {
        register();
        renew("leaves", LONG_LEASE);
        renew("falls silent", SHORT_LEASE);
        store.renew().leave("leaves");
        eventually().holds(() -> assertThat(nodes(renewed(NODE))).isEqualTo(1));
        renew("leaves", LONG_LEASE);
        assertThat(nodes(renewed(NODE))).isEqualTo(2);
    }

    @Test
    void a_subscription_that_was_removed_is_missing() {
        register();
        store.subscriptions().register("others", Start.beginning(), FILTER);
        Set<String> both = Set.of(SUBSCRIPTION, "others");
        assertThat(store.renew().renew(NODE, LONG_LEASE, both).shared()).containsOnlyKeys(both);
        assertThat(claim(NODE, 2)).hasSize(2);
        remove(SUBSCRIPTION);
        Renew.Renewal after = store.renew().renew(NODE, LONG_LEASE, both);
        assertThat(after.shared()).containsOnlyKeys("others");
        assertThat(after.held()).isEmpty();
    }

    private Renew.Renewal renewed(String node) {
        return store.renew().renew(node, LONG_LEASE, Set.of(SUBSCRIPTION));
    }

    private static int nodes(Renew.Renewal renewal) {
        Renew.Sharing shared = renewal.shared().get(SUBSCRIPTION);
        assertThat(shared).isNotNull();
        return shared == null ? 0 : shared.nodes();
    }
}
