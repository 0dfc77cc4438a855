package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Counts;
import io.postrider.policy.Queue;
import io.postrider.store.Append;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Starts: subscriptions come at any time, under any name, and those that run already do not suffer. */
public abstract class StartSuite<T> extends EngineCase<T> {
    private static final int MANY = 20;

    @Test
    void subscriptions_that_start_one_after_the_other_all_deliver() {
        Postrider<T> node = node();
        List<Letters> all = Stream.of(numbered("subscription-", MANY))
                .map(name -> {
                    Letters letters = new Letters();
                    node.subscribe(name).on("letter.*", String.class, letters).start();
                    return letters;
                })
                .toList();
        send(node, "ann", "a");
        all.forEach(letters -> assertDelivered(letters, "a"));
    }

    @Test
    void a_second_start_of_a_name_is_refused_and_the_first_goes_on() {
        Postrider<T> node = node(quick().lease(Duration.ofMillis(300)));
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, "ann", "a");
        assertDelivered(letters, "a");
        assertThatThrownBy(() -> node.subscribe(SUBSCRIPTION)
                        .on("parcel.*", (payload, context) -> {})
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(SUBSCRIPTION);
        assertGoesOn(node, List.of(letters), "ann", Duration.ofMillis(600));
    }

    @Test
    void a_setting_for_a_type_that_no_handler_takes_is_refused() {
        Postrider<T> node = node();
        assertThatThrownBy(() -> letters(node, new Letters())
                        .retry("letter.sent.late", QUICK)
                        .start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a retry policy for 'letter.sent.late'")
                .hasMessageContaining("'letter.*'");
        assertThatThrownBy(() -> letters(node, new Letters())
                        .queue(Queue.DEFAULT.concurrency("leter.sent", 2))
                        .start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("for 'leter.sent'");
        Letters letters = new Letters();
        letters(node, letters).retry("letter.sent", QUICK).start();
        send(node, "ann", "a");
        assertDelivered(letters, "a");
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without NullAway may pass
    void what_is_null_is_refused_where_it_is_given_with_what_would_be_right() {
        Postrider<T> node = node();
        SubscriptionBuilder<T> builder = node.subscribe(SUBSCRIPTION);
        assertThatThrownBy(() -> builder.on("letter.*", null))
                .hasMessageContaining("handler or destination of 'letter.*'");
        assertThatThrownBy(() -> builder.on("letter.*", String.class, null)).hasMessageContaining(SUBSCRIPTION);
        assertThatThrownBy(() -> builder.on("letter.*", null, new Letters())).hasMessageContaining("gets JSON text");
        assertThatThrownBy(() -> builder.onTransaction("letter.*", null)).hasMessageContaining("is null");
        assertThatThrownBy(() -> builder.to("letter.*", null)).hasMessageContaining("is null");
        assertThatThrownBy(() -> builder.on(null, (payload, context) -> {})).hasMessageContaining("order.placed");
        assertThatThrownBy(() -> builder.retry(null, QUICK)).hasMessageContaining("order.placed");
        assertThatThrownBy(() -> builder.on("a..b", (payload, context) -> {})).hasMessageContaining("empty part");
        assertThatThrownBy(builder::start).hasMessageContaining("has no handler");
        assertThatThrownBy(() -> node.subscribe(null)).hasMessageContaining("a subscription's name is a text");
        assertThatThrownBy(() -> Event.of("letter.sent", null)).hasMessageContaining("an event's payload");
        Letters letters = new Letters();
        builder.on("letter.*", String.class, letters).start();
        send(node, "ann", "a");
        assertDelivered(letters, "a");
    }

    @Test
    void a_node_that_was_closed_starts_nothing_and_the_others_go_on() {
        Postrider<T> closed = node();
        closed.close();
        Postrider<T> other = node(quick().lease(Duration.ofMillis(300)));
        Letters letters = new Letters();
        letters(other, letters).start();
        assertThatThrownBy(() -> closed.subscribe(SUBSCRIPTION)
                        .on("parcel.*", (payload, context) -> {})
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertGoesOn(other, List.of(letters), "ann", Duration.ofMillis(600));
    }

    /**
     * For longer than it takes to renew: that is when a node learns what others have changed. Who of them delivers is
     * theirs to share out.
     */
    private void assertGoesOn(Postrider<T> node, List<Letters> everywhere, String key, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (int i = 0; System.nanoTime() < end; i++) {
            String text = "b" + i;
            send(node, key, text);
            eventually()
                    .holds(() -> assertThat(everywhere)
                            .anySatisfy(
                                    letters -> assertThat(letters.delivered()).contains(text)));
        }
    }

    @Test
    void a_node_stands_by_while_another_has_changed_the_filter_and_resumes_when_it_is_changed_back() {
        Postrider<T> first = node(quick().lease(Duration.ofMillis(500)));
        Letters atFirst = new Letters();
        letters(first, atFirst).start();
        send(first, "ann", "a");
        assertDelivered(atFirst, "a");
        Postrider<T> second = node(quick().lease(Duration.ofMillis(500)));
        Letters atSecond = new Letters();
        second.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, atSecond)
                .on("parcel.*", (payload, context) -> {})
                .start();
        eventually().holds(() -> {
            send(first, "ann", "b");
            assertThat(atSecond.delivered()).contains("b");
        });
        second.close();
        Postrider<T> third = node(quick().lease(Duration.ofMillis(500)));
        letters(third, new Letters()).start();
        third.close();
        send(first, "ann", "c");
        assertDelivered(atFirst, "c");
    }

    /** Other languages write what Java's own checks would refuse. */
    @Test
    void an_event_of_an_odd_type_is_refused_or_skipped_and_holds_nobody_up() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        for (String type : List.of(" ", "*", "a.*", "a.>", "a\tb", "")) {
            assertThatThrownBy(() -> odd(type)).as("'%s'", type).isInstanceOf(IllegalArgumentException.class);
        }
        T transaction = fixture.begin();
        store.append().append(transaction, List.of(odd("\uD83D\uDE00".repeat(100))));
        fixture.commit(transaction);
        send(node, "ann", "a");
        assertDelivered(letters, "a");
        assertLedger(new Counts(1, 1, 0, 0, 0, 0), 0);
    }

    private static Append.Entry odd(String type) {
        return new Append.Entry(new EventId(UUID.randomUUID()), type, "ann", "{}", Headers.NONE, null);
    }

    @Test
    void a_node_that_stops_keeps_its_lease_until_its_handlers_have_ended() {
        Postrider<T> leaving = node(attentive());
        Gate gate = gate();
        Letters atLeaving = new Letters().hold("a", gate);
        letters(leaving, atLeaving).start();
        send(leaving, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        Postrider<T> staying = node(attentive());
        Letters atStaying = new Letters();
        letters(staying, atStaying).start();
        Thread closing = new Thread(leaving::close);
        closing.start();
        assertGoesOn(staying, List.of(atStaying, atLeaving), keyApartFrom("ann"), Duration.ofSeconds(4));
        assertThat(atStaying.started()).doesNotContain("a");
        gate.open();
        eventually().holds(() -> assertThat(closing.isAlive()).isFalse());
        assertDelivered(atLeaving, "a");
        assertThat(atStaying.started()).doesNotContain("a");
    }
}
