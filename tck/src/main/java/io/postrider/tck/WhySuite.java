package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Postrider;
import io.postrider.operate.Browse;
import io.postrider.operate.Delivery;
import io.postrider.operate.DestinationStatus;
import io.postrider.operate.Search;
import io.postrider.operate.Why;
import io.postrider.policy.AfterDead;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a node adds to what the store knows of an event that is not delivered. */
public abstract class WhySuite<T> extends EngineCase<T> {
    private final Broker broker = new Broker();

    @Test
    void an_event_whose_destination_is_down_says_so_and_since_when() {
        Postrider<T> node = node(config(quick()));
        node.subscribe(SUBSCRIPTION).to("letter.*", broker).retry(QUICK).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        Instant before = Instant.now();
        broker.cutOff("the power failed");
        send(node, "ann", "b");
        eventually().holds(() -> assertThat(node.operator().destinations()).noneMatch(DestinationStatus::isUp));
        EventId waiting = newest();
        assertThat(node.operator().why(SUBSCRIPTION, waiting))
                .isInstanceOfSatisfying(Why.DestinationDown.class, down -> {
                    assertThat(down.destination()).startsWith(SUBSCRIPTION + " (");
                    assertThat(down.since()).isBetween(before.minusSeconds(1), Instant.now());
                    assertThat(down.reason()).isNotBlank();
                    assertThat(down.otherwise().waits()).isTrue();
                });
        assertThat(node.operator().why(SUBSCRIPTION, oldest())).isInstanceOf(Why.Delivered.class);
        broker.up();
        assertAllDelivered(2);
        assertThat(node.operator().why(SUBSCRIPTION, waiting)).isInstanceOf(Why.Delivered.class);
    }

    @Test
    void an_event_in_a_transaction_that_is_still_open_is_unknown_and_who_has_one_open_is_named() {
        Postrider<T> node = node(config(quick()));
        letters(node, new Letters()).start();
        assertThat(node.operator().why(SUBSCRIPTION, drawId()).toString()).doesNotContain("still open");
        T open = fixture.begin();
        EventId id = node.outbox().append(open, letter("ann", "a"));
        Browse.OpenAppend holder = store.browse().openAppends(1).get(0);
        assertThat(node.operator().why(SUBSCRIPTION, id))
                .isInstanceOfSatisfying(
                        Why.Unknown.class,
                        unknown -> assertThat(unknown.what())
                                .contains(id.toString())
                                .contains("still open")
                                .contains(holder.transaction())
                                .contains(holder.holder())
                                .contains(Objects.requireNonNull(holder.since()).toString()));
        fixture.commit(open);
        assertAllDelivered(1);
        assertThat(node.operator().why(SUBSCRIPTION, id)).isInstanceOf(Why.Delivered.class);
    }

    @Test
    @SuppressWarnings("NullAway") // which is the point
    void why_without_an_event_is_refused_with_a_sentence() {
        Postrider<T> node = node();
        letters(node, new Letters()).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.operator().why(SUBSCRIPTION, null))
                .withMessageContaining("by its id");
    }

    @Test
    void events_behind_a_dead_one_that_keeps_its_key_blocked_name_it_and_are_listed_as_blocked() {
        Postrider<T> node = node();
        letters(node, new Letters().failAlways("bad"))
                .afterDead(AfterDead.STAY_BLOCKED)
                .retry(QUICK.attempts(1))
                .start();
        send(node, "ann", "bad", "second", "third");
        EventId dead = awaitDead().id();
        eventually().holds(() -> assertThat(rows(Delivery.Status.WAITING)).hasSize(2));
        for (Delivery follower : rows(Delivery.Status.WAITING)) {
            assertThat(node.operator().why(SUBSCRIPTION, follower.id()))
                    .isInstanceOfSatisfying(Why.BlockedBy.class, blocked -> {
                        assertThat(blocked.id()).isEqualTo(dead);
                        assertThat(blocked.status()).isEqualTo(Delivery.Status.DEAD);
                    });
        }
        assertThat(listed(Search.State.BLOCKED)).hasSize(2);
        assertThat(listed(Search.State.WAITING)).isEmpty();
    }

    private List<Search.Hit> listed(Search.State state) {
        return store.search()
                .deliveries(SUBSCRIPTION, state, EventFilter.ALL, null, 10)
                .hits();
    }

    /** Gauges ask for the progress of each subscription every few seconds; to list locks is dear. */
    @Test
    void progress_alone_does_not_look_for_open_appends() {
        register();
        T open = fixture.begin();
        append(open, "ann", "a");
        committed("bob", "b");
        assertThat(store.browse().progress(SUBSCRIPTION).pendingEstimate()).isEqualTo(1);
        assertThat(store.browse().progress(SUBSCRIPTION).openAppend()).isNull();
        fixture.rollback(open);
    }

    @Test
    void progress_names_the_oldest_open_append_while_something_is_pending() {
        register();
        T open = fixture.begin();
        append(open, "ann", "a");
        assertThat(store.browse().progressWithOpenAppend(SUBSCRIPTION).openAppend())
                .as("nothing waits")
                .isNull();
        committed("bob", "b");
        assertThat(store.browse().progressWithOpenAppend(SUBSCRIPTION).openAppend())
                .isEqualTo(store.browse().openAppends(1).get(0));
        fixture.rollback(open);
        assertThat(store.browse().progressWithOpenAppend(SUBSCRIPTION).openAppend())
                .isNull();
    }

    private EventId newest() {
        return store.search().events(EventFilter.ALL, null, 1).events().get(0).id();
    }

    private EventId oldest() {
        return store.search().events(EventFilter.ALL, null, 10).events().get(1).id();
    }
}
