package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.policy.Start;
import io.postrider.store.Subscriptions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Subscriptions: where they begin, what they are filtered by, and how they end. */
public abstract class SubscriptionSuite<T> extends StoreCase<T> {

    @Test
    void one_that_starts_at_the_beginning_reads_everything() {
        committed("ann", "a", "b");
        LaneReader reader = reader(SUBSCRIPTION, Start.beginning(), "ann");
        committed("ann", "c");
        assertThat(reader.drain()).containsExactly("a", "b", "c");
    }

    @Test
    void one_that_starts_at_the_end_reads_what_is_committed_from_now_on() {
        committed("ann", "before");
        T open = fixture.begin();
        append(open, "ann", "open");
        committed("ann", "before too");
        LaneReader reader = reader(SUBSCRIPTION, Start.end(), "ann");
        fixture.commit(open);
        assertThat(reader.drain()).containsExactly("open");
        committed("ann", "after");
        assertThat(reader.drain()).containsExactly("after");
    }

    @Test
    void one_that_starts_after_a_position_reads_what_follows_it() {
        committed("ann", "a", "b", "c", "d");
        Position second = positions("ann").get(1).position();
        assertThat(reader(SUBSCRIPTION, Start.after(second), "ann").drain()).containsExactly("c", "d");
    }

    @Test
    void one_that_starts_after_a_position_does_not_read_what_commits_late_below_it() {
        T open = fixture.begin();
        append(open, "ann", "below");
        committed("ann", "a");
        Position first = positions("ann").get(0).position();
        LaneReader reader = reader(SUBSCRIPTION, Start.after(first), "ann");
        fixture.commit(open);
        committed("ann", "b");
        assertThat(reader.drain()).containsExactly("b");
    }

    @Test
    void one_that_starts_at_a_time_reads_what_was_appended_from_then_on() {
        committed("ann", "a");
        Instant before = positions("ann").get(0).appendedAt();
        Instant time = eventually().gives(() -> {
            committed(keyApartFrom("ann"), "tick");
            Instant later = positions(keyApartFrom("ann")).stream()
                    .map(StoredEvent::appendedAt)
                    .filter(tick -> tick.isAfter(before))
                    .findFirst()
                    .orElse(before);
            assertThat(later).isAfter(before);
            return later;
        });
        committed("ann", "b", "c");
        assertThat(reader(SUBSCRIPTION, Start.at(time), "ann").drain()).containsExactly("b", "c");
    }

    @Test
    void one_that_starts_at_a_time_nothing_was_appended_at_yet_reads_what_comes() {
        committed("ann", "a");
        LaneReader reader = reader(SUBSCRIPTION, Start.at(Instant.now().plusSeconds(60)), "ann");
        committed("ann", "b");
        assertThat(reader.drain()).containsExactly("b");
    }

    @Test
    void one_whose_name_cannot_be_shown_is_refused() {
        for (String name : List.of("new\nline", "\u001b[31mred", "half \ud83d", "next\u0085line", "end\u2028", " ")) {
            assertThatIllegalArgumentException()
                    .as(name)
                    .isThrownBy(() -> store.subscriptions().register(name, Start.end(), FILTER))
                    .withMessageContaining("a subscription's name has")
                    .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("\n", "\u001b", "\u0085"));
        }
        assertThat(store.browse().subscriptions()).isEmpty();
        store.subscriptions().register("ünï 東京 {it's} 😀", Start.end(), FILTER);
        assertThat(store.browse().subscriptions()).containsExactly("ünï 東京 {it's} 😀");
    }

    @Test
    void one_cannot_start_after_a_position_that_the_log_does_not_have() {
        committed("ann", "a");
        Position beyond = new Position(positions("ann").get(0).position().value() + 1_000_000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.subscriptions().register(SUBSCRIPTION, Start.after(beyond), FILTER))
                .withMessageContaining(beyond.toString());
        assertThat(store.browse().subscriptions()).doesNotContain(SUBSCRIPTION);
    }

    @Test
    void a_new_one_is_told_about_how_many_events_it_has_before_it() {
        assertThat(store.subscriptions()
                        .register("first", Start.beginning(), FILTER)
                        .ahead())
                .isZero();
        committed("ann", "a", "b", "c");
        Position second = positions("ann").get(1).position();
        assertThat(store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER))
                .satisfies(registered -> {
                    assertThat(registered.created()).isTrue();
                    assertThat(registered.ahead()).isEqualTo(3);
                });
        assertThat(store.subscriptions()
                        .register("after", Start.after(second), FILTER)
                        .ahead())
                .isEqualTo(1);
        assertThat(store.subscriptions().register("end", Start.end(), FILTER).ahead())
                .isZero();
        assertThat(store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER))
                .isEqualTo(Subscriptions.Registered.FOUND);
    }

    @Test
    void the_start_counts_only_once() {
        committed("ann", "a");
        register();
        store.subscriptions().register(SUBSCRIPTION, Start.end(), FILTER);
        assertThat(of("ann", readers(NODE, SUBSCRIPTION)).drain()).containsExactly("a");
    }

    @Test
    void each_is_listed_once() {
        register();
        register();
        store.subscriptions().register("others", Start.end(), FILTER);
        assertThat(store.browse().subscriptions()).containsExactlyInAnyOrder(SUBSCRIPTION, "others");
    }

    @Test
    void one_that_is_removed_is_gone_with_its_lanes() {
        LaneReader reader = reader("ann");
        assertThat(remove(SUBSCRIPTION)).isTrue();
        assertThat(store.browse().subscriptions()).isEmpty();
        assertThat(claim(OTHER_NODE, Lane.COUNT_DEFAULT)).isEmpty();
        assertThat(reader.settle(0)).isFalse();
        assertThat(remove(SUBSCRIPTION)).isFalse();
    }

    @Test
    void removing_one_leaves_the_others_alone() {
        committed("ann", "a");
        register();
        LaneReader other = reader("others", Start.beginning(), "ann");
        remove(SUBSCRIPTION);
        assertThat(other.drain()).containsExactly("a");
        assertThat(other.settle(1)).isTrue();
    }

    @Test
    void one_that_is_registered_again_after_its_removal_begins_anew() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        remove(SUBSCRIPTION);
        LaneReader again = reader("ann");
        assertThat(again.drain()).containsExactly("a");
        assertThat(again.claimed().deliveries()).isEmpty();
        assertThat(again.claimed().counts().total()).isZero();
    }

    @Test
    void an_owner_from_before_a_removal_cannot_settle_after_it() {
        committed("ann", "a", "b");
        LaneReader stale = reader("ann");
        remove(SUBSCRIPTION);
        LaneReader owner = reader("ann");
        stale.drain();
        assertThat(stale.settle(2)).isFalse();
        assertThat(owner.next(1)).hasSize(1);
        assertThat(owner.settle(1)).isTrue();
    }

    @Test
    void a_node_with_another_filter_gets_no_lanes() {
        register();
        renew(NODE, LONG_LEASE);
        assertThat(store.claim().claim(claimant(NODE, SUBSCRIPTION, "parcel.*"), List.of(), 1))
                .isEmpty();
        assertThat(store.claim().claim(claimant(NODE, SUBSCRIPTION, FILTER), List.of(), 1))
                .hasSize(1);
    }

    @Test
    void the_filter_is_that_of_the_last_registration() {
        register();
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "parcel.*");
        assertThat(store.renew()
                        .renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION))
                        .shared()
                        .get(SUBSCRIPTION))
                .satisfies(shared -> assertThat(shared.filter()).isEqualTo("parcel.*"));
        assertThat(store.claim().claim(claimant(NODE, SUBSCRIPTION, FILTER), List.of(), 1))
                .isEmpty();
        assertThat(store.claim().claim(claimant(NODE, SUBSCRIPTION, "parcel.*"), List.of(), 1))
                .hasSize(1);
    }

    /** The events of a key, read by a subscription of its own. */
    private List<StoredEvent> positions(String key) {
        List<StoredEvent> events = reader("probe", Start.beginning(), key).drain(LaneReader.MANY);
        remove("probe");
        return events;
    }
}
