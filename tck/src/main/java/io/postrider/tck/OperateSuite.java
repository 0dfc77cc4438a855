package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Counts;
import io.postrider.Ledger;
import io.postrider.Position;
import io.postrider.Schedule;
import io.postrider.StoredEvent;
import io.postrider.spi.Claim;
import io.postrider.spi.Delivery;
import io.postrider.spi.Renew;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Operate: what a person decides about a dead event, and how the lane's owner learns of it. */
public abstract class OperateSuite<T> extends StoreCase<T> {

    @Test
    void a_replayed_event_waits_again_from_its_first_attempt() {
        Dead dead = bury();
        assertThat(store.replay(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(store.deliveries(dead.reader.ownership(), Claim.Wanted.WAITING_AND_DEAD))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.status()).isEqualTo(Delivery.Status.RETRYING);
                    assertThat(row.attempt()).isZero();
                    assertThat(row.dueAt()).isBeforeOrEqualTo(Instant.now().plusSeconds(60));
                });
        assertThat(store.claim(dead.reader.ownership(), List.of(dead.position)))
                .singleElement()
                .satisfies(row -> assertThat(row.delivery().attempt()).isEqualTo(1));
    }

    @Test
    void a_discarded_event_is_gone_and_runs_no_more() {
        Dead dead = bury();
        assertThat(store.discard(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(store.deliveries(dead.reader.ownership(), Claim.Wanted.WAITING_AND_DEAD))
                .isEmpty();
        assertThat(store.claim(dead.reader.ownership(), List.of(dead.position))).isEmpty();

        store.leave(NODE);
        assertThat(of("ann", readers(OTHER_NODE, SUBSCRIPTION)).claimed().deliveries())
                .isEmpty();
    }

    @Test
    void a_decision_is_on_the_ledger_at_once() {
        Dead dead = bury();
        assertThat(store.ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 1, 0, 0), 0));
        assertThat(store.replay(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(store.ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 1, 0, 0, 0), 0));
        assertThat(store.progress(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 1, 0, 0, 0));

        Delivery expired = parked(dead.event).expired(0);
        assertThat(dead.reader.settle(new Counts(0, 0, -1, 0, 1, 0), List.of(expired), List.of()))
                .isTrue();
        assertThat(store.ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 1, 0), 0));
        assertThat(store.discard(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(store.ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(0, 0, 0, 0, 0, 1), 0));
    }

    @Test
    void an_expired_event_that_is_replayed_does_not_expire_again() {
        Dead dead = bury();
        Schedule past = Schedule.NONE.expiresAt(Instant.EPOCH);
        Delivery buried = dead(dead.event);
        Delivery expired = new Delivery(
                buried.position(),
                buried.id(),
                buried.type(),
                buried.key(),
                Delivery.Status.EXPIRED,
                0,
                buried.dueAt(),
                false,
                null,
                past);
        assertThat(store.discard(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(dead.reader.settle(new Counts(0, 0, 0, 0, 1, 0), List.of(expired), List.of()))
                .isTrue();
        assertThat(store.deliveries(SUBSCRIPTION, Delivery.Status.EXPIRED, Position.ZERO, 10))
                .extracting(Delivery::schedule)
                .containsExactly(past);
        assertThat(store.replay(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(store.claim(dead.reader.ownership(), List.of(dead.position)))
                .extracting(row -> row.delivery().schedule())
                .containsExactly(Schedule.NONE);
    }

    @Test
    void each_decision_is_a_request_that_the_next_renewal_shows() {
        Dead dead = bury();
        long before = requests(dead.reader);
        assertThat(store.replay(SUBSCRIPTION, dead.position)).isTrue();
        long between = requests(dead.reader);
        assertThat(between).isNotEqualTo(before);
        assertThat(dead.reader.bury(List.of(dead(dead.event)))).isTrue();
        assertThat(store.discard(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(requests(dead.reader)).isNotIn(before, between);
    }

    @Test
    void a_decision_concerns_dead_events_only() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        Position position = event.position();
        assertThat(store.replay(SUBSCRIPTION, position)).isFalse();
        assertThat(reader.park(List.of(parked(event)))).isTrue();
        long before = requests(reader);
        assertThat(store.replay(SUBSCRIPTION, position)).isFalse();
        assertThat(store.discard(SUBSCRIPTION, position)).isFalse();
        assertThat(store.discard("unknown", position)).isFalse();
        assertThat(requests(reader)).isEqualTo(before);
        assertThat(store.deliveries(reader.ownership(), Claim.Wanted.WAITING_AND_DEAD))
                .containsExactly(parkedAs(event, reader));
    }

    @Test
    void an_event_is_decided_about_once() {
        Dead dead = bury();
        assertThat(store.discard(SUBSCRIPTION, dead.position)).isTrue();
        assertThat(store.discard(SUBSCRIPTION, dead.position)).isFalse();
        assertThat(store.replay(SUBSCRIPTION, dead.position)).isFalse();
    }

    private Delivery parkedAs(StoredEvent event, LaneReader reader) {
        Delivery row = store.deliveries(reader.ownership(), Claim.Wanted.WAITING_AND_DEAD)
                .get(0);
        return new Delivery(
                event.position(),
                event.id(),
                event.type(),
                event.key(),
                Delivery.Status.RETRYING,
                0,
                row.dueAt(),
                false,
                null,
                Schedule.NONE);
    }

    private long requests(LaneReader reader) {
        return store.renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION)).held().stream()
                .filter(held -> held.ownership().equals(reader.ownership()))
                .mapToLong(Renew.Held::requests)
                .findFirst()
                .orElseThrow(() -> new AssertionError(reader.ownership() + " is not held"));
    }

    private Dead bury() {
        committed("ann", "a");
        LaneReader reader = reader("ann");
        StoredEvent event = reader.drain(1).get(0);
        assertThat(reader.bury(List.of(dead(event)))).isTrue();
        return new Dead(reader, event, event.position());
    }

    private record Dead(LaneReader reader, StoredEvent event, Position position) {}
}
