package io.postrider.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.engine.dispatch.Routes;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.operate.Delivery;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Schedule;
import io.postrider.policy.Start;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.store.Park;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A key with rows in the store is known to its owner: the owner holds them, or has to look for them. */
class ParkedTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = BEGIN.plusSeconds(60);

    @Test
    void a_key_that_catches_up_is_looked_for_when_its_rows_are_evicted() {
        Parked parked = catchingUp(1, null);
        parked.settled(List.of(), List.of(row("bob", 1, false)));
        assertThat(parked.blocks("ann")).isTrue();
        assertThat(parked.ended(10)).containsExactly("ann");
    }

    @Test
    void a_key_that_catches_up_is_looked_for_when_the_next_rows_are_loaded() {
        Parked parked = catchingUp(4, BEGIN.plusSeconds(30));
        assertThat(parked.wantsWindow()).isTrue();
        parked.load(new Park.Window(List.of(row("bob", 1, false)), null, false, 0, 2, 0));
        assertThat(parked.blocks("ann")).isTrue();
        assertThat(parked.ended(10)).containsExactly("ann");
    }

    @Test
    void a_key_is_looked_for_although_more_rows_are_behind_others_than_were_counted() {
        int counted = 3;
        Parked parked = parked(10, counted);
        Delivery bob = row("bob", 1, false);
        Delivery ann = row("ann", 10, false);
        parked.load(new Park.Window(List.of(bob, ann), null, false, 0, counted, 0));
        run(parked, bob);
        parked.followed(parked.ended(10), List.of(row("bob", 2, true), row("bob", 3, true), row("bob", 4, true)));
        for (int position = 2; position <= 4; position++) {
            run(parked, row("bob", position, false));
        }
        assertThat(parked.behind()).isZero();
        run(parked, ann);
        assertThat(parked.ended(10)).contains("ann");
        assertThat(parked.wantsWindow()).as("whether rows are counted again").isTrue();
    }

    /** What was counted is the limit, not the number of rows: one that settles makes no room for a batch. */
    @Test
    void a_lane_with_more_rows_behind_others_than_were_counted_is_full_until_they_are_counted_again() {
        int counted = 4;
        Parked parked = parked(10, counted);
        Delivery bob = row("bob", 1, false);
        parked.load(new Park.Window(List.of(bob), null, false, 0, counted, 0));
        run(parked, bob);
        parked.followed(parked.ended(10), List.of(row("bob", 2, true), row("bob", 3, true)));
        assertThat(parked.behind()).isLessThan(counted);
        assertThat(parked.hasBehind(counted)).isTrue();
        run(parked, row("bob", 2, false));
        run(parked, row("bob", 3, false));
        assertThat(parked.hasBehind(counted)).isTrue();
        parked.followed(parked.ended(10), List.of(row("bob", 4, true)));
        assertThat(parked.wantsWindow()).as("whether rows are counted again").isTrue();
        parked.load(new Park.Window(List.of(row("bob", 4, false)), null, false, 0, 1, 0));
        assertThat(parked.hasBehind(counted)).isFalse();
    }

    @Test
    void a_row_that_stays_in_the_store_counts_once() {
        Parked parked = parked(1, 100);
        Delivery later = row("ann", 10, false).waiting(1, NOW.plusSeconds(30), "failed");
        parked.load(new Park.Window(List.of(row("bob", 1, false)), NOW.plusSeconds(20), false, 1, 1, 0));
        assertThat(parked.size()).isEqualTo(2);
        parked.followed(List.of("ann"), List.of(later));
        assertThat(parked.size()).isEqualTo(2);
    }

    @Test
    void no_row_is_claimed_before_an_earlier_one_of_its_key_that_stays_in_the_store() {
        Parked parked = parked(2, 100);
        Delivery first = row("ann", 10, false);
        Delivery second = row("ann", 11, true);
        Delivery later = row("ann", 12, false).waiting(0, NOW.plusSeconds(30), null);
        Delivery last = row("ann", 13, true);
        parked.load(new Park.Window(List.of(first), NOW.plusSeconds(20), false, 0, 2, 0));
        run(parked, first);
        parked.followed(parked.ended(10), List.of(second, later, last));
        run(parked, second.behind(false));
        assertThat(parked.due(NOW, 10)).isEmpty();
        parked.followed(parked.ended(10), List.of(later, last));
        assertThat(parked.due(NOW, 10)).isEmpty();
    }

    @Test
    void no_row_is_claimed_before_an_earlier_one_of_its_key_that_failed_and_went_to_the_store() {
        Parked parked = parked(2, 100);
        Delivery first = row("ann", 10, false);
        Delivery second = row("ann", 11, true);
        Delivery soon = row("ann", 12, false).waiting(0, NOW.plusSeconds(10), null);
        parked.load(new Park.Window(List.of(first), NOW.plusSeconds(20), false, 0, 1, 0));
        run(parked, first);
        parked.followed(parked.ended(10), List.of(second, soon));
        parked.claimed(second.running(1));
        parked.settled(List.of(), List.of(second.waiting(1, NOW.plusSeconds(30), "failed")));
        assertThat(parked.due(NOW.plusSeconds(15), 10)).isEmpty();
    }

    @Test
    void no_row_is_claimed_behind_a_dead_one_for_which_there_is_no_room() {
        Parked parked = parked(1, 100, AfterDead.STAY_BLOCKED);
        Delivery first = row("ann", 10, false);
        Delivery dead = row("bob", 1, false).dead(1, "failed");
        parked.load(new Park.Window(List.of(dead, first), null, false, 0, 3, 0));
        run(parked, first);
        parked.followed(parked.ended(10), List.of(row("ann", 11, true), row("ann", 12, true), row("ann", 13, true)));
        parked.claimed(row("ann", 11, false).running(1));
        parked.settled(List.of(), List.of(row("ann", 11, false).dead(1, "failed")));
        assertThat(parked.due(NOW, 10)).isEmpty();
        assertThat(parked.knowsBlockedKeys()).isFalse();
    }

    /** Whether the row before them is here, the count does not say: an owner hears late of what operators changed. */
    @Test
    void while_rows_wait_behind_others_keys_are_looked_up() {
        Parked parked = parked(10, 100);
        Delivery bob = row("bob", 1, false);
        parked.load(new Park.Window(List.of(bob), null, false, 0, 1, 0));
        assertThat(parked.knowsBlockedKeys()).isFalse();
        parked.load(new Park.Window(List.of(bob), null, false, 0, 0, 0));
        assertThat(parked.knowsBlockedKeys()).isTrue();
    }

    /** Two rows of Ann's are left, which the store has behind one that is gone; it has none of hers in front. */
    private static Parked catchingUp(int held, @Nullable Instant beyond) {
        Parked parked = parked(held, 100);
        Delivery first = row("ann", 10, false);
        parked.load(new Park.Window(List.of(first), beyond, false, 0, 3, 0));
        run(parked, first);
        parked.followed(parked.ended(64), List.of(row("ann", 11, true), row("ann", 12, true), row("ann", 13, true)));
        run(parked, row("ann", 11, false));
        return parked;
    }

    private static void run(Parked parked, Delivery row) {
        parked.claimed(row.running(1));
        parked.settled(List.of(row.running(1)), List.of());
    }

    private static Parked parked(int held, int counted) {
        return parked(held, counted, AfterDead.GO_ON);
    }

    private static Parked parked(int held, int counted, AfterDead afterDead) {
        SubscriptionLimits limits = SubscriptionLimits.builder()
                .parkedHeld(held)
                .parkedMax(counted)
                .parkedBehindMax(counted)
                .build();
        SubscriptionSpec spec = new SubscriptionSpec(
                "parcels",
                Start.beginning(),
                true,
                afterDead,
                RetryPolicy.DEFAULT,
                Map.of(),
                new Routes(Map.of()),
                limits,
                null,
                null,
                Retention.DEFAULT,
                null);
        return new Parked(spec, () -> NOW);
    }

    private static Delivery row(String key, long position, boolean behind) {
        return new Delivery(
                new Position(position),
                new EventId(UUID.randomUUID()),
                "parcel.sent",
                key,
                Delivery.Status.WAITING,
                0,
                BEGIN.plusMillis(position),
                false,
                null,
                Schedule.NONE,
                null,
                behind);
    }
}
