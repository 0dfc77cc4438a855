package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.BatchHandler;
import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Delivery end to end: what was committed reaches every handler that wants it. */
public abstract class DeliverySuite<T> extends EngineCase<T> {

    @Test
    void what_is_committed_is_delivered() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        send(node, "ann", "before");
        letters(node, letters).start();
        send(node, "ann", "after");
        send(node, "bob", "too");
        assertDelivered(letters, "before", "after", "too");
        assertAllDelivered(3);
        assertThat(letters.started()).hasSize(3);
    }

    @Test
    void what_is_rolled_back_is_not() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        assertThatThrownBy(() -> node.transaction(transaction -> {
                    node.outbox().append(transaction, letter("ann", "never"));
                    throw new IOException("undone");
                }))
                .isInstanceOf(IOException.class);
        send(node, "ann", "a");
        assertDelivered(letters, "a");
        assertAllDelivered(1);
        assertThat(letters.started()).containsExactly("a");
    }

    @Test
    void an_append_in_a_transaction_of_the_callers_own_is_delivered_after_its_commit() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        T slow = fixture.begin();
        node.outbox().append(slow, letter("ann", "late"));
        T quick = fixture.begin();
        node.outbox().append(quick, letter("ann", "early"));
        fixture.commit(quick);
        assertDelivered(letters, "early");
        assertThat(letters.started()).containsExactly("early");
        fixture.commit(slow);
        assertDelivered(letters, "late");
        assertAllDelivered(2);
    }

    @Test
    void what_is_committed_while_a_batch_runs_is_delivered_behind_it_without_another_look() {
        Duration never = Duration.ofMinutes(10);
        Postrider<T> node = node(quick().pollMax(never).pollMin(never).subscriptions(s -> s.rereadEvery(never)));
        Gate gate = gate();
        Letters letters = new Letters().hold("first", gate);
        letters(node, letters).start();
        send(node, "ann", "first");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        send(node, "ann", "second");
        gate.open();
        assertDelivered(letters, "first", "second");
        assertAllDelivered(2);
    }

    @Test
    void a_long_late_transaction_is_delivered_whole_and_in_order() {
        Postrider<T> node = node(quick().subscriptions(s -> s.batchEvents(4)));
        Letters letters = new Letters();
        letters(node, letters).start();
        T slow = fixture.begin();
        append(slow, "ann", numbered("late-", 16));
        send(node, "ann", "early");
        assertDelivered(letters, "early");
        fixture.commit(slow);
        send(node, "ann", "fresh");
        assertAllDelivered(18);
        assertThat(letters.delivered()).containsSubsequence(numbered("late-", 16));
        assertThat(letters.delivered()).endsWith("fresh").hasSize(18);
    }

    @Test
    void every_subscription_gets_every_event() {
        Postrider<T> node = node();
        Letters one = new Letters();
        Letters two = new Letters();
        letters(node, one).start();
        node.subscribe("others").on("letter.*", String.class, two).start();
        send(node, "ann", "a", "b");
        assertDelivered(one, "a", "b");
        assertDelivered(two, "a", "b");
    }

    @Test
    void a_subscription_from_the_end_gets_only_what_follows() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        send(node, "ann", "before");
        letters(node, letters).from(Start.end()).start();
        send(node, "ann", "after");
        assertDelivered(letters, "after");
        assertAllDelivered(1);
        assertThat(letters.started()).containsExactly("after");
    }

    @Test
    void lanes_that_deliver_nothing_settle_seldom_and_what_they_skipped_is_settled_when_they_are_handed_back() {
        Postrider<T> node = node(config(
                quick().subscriptions(s -> s.rereadEvery(Duration.ofMillis(5)).settleQuietEvery(LONG_LEASE))));
        Letters letters = new Letters();
        letters(node, letters).start();
        for (String text : numbered("n", 10)) {
            send(node, List.of(Event.of("parcel.sent", text).key("bob")));
            send(node, text, text);
            assertDelivered(letters, text);
        }
        eventually()
                .holds(() -> assertThat(observed(Observation.Settled.class).stream()
                                .mapToLong(settled -> settled.change().skipped())
                                .sum())
                        .isEqualTo(10));
        node.close();
        assertLedger(new Counts(10, 10, 0, 0, 0, 0), 0);
        renew(NODE, LONG_LEASE);
        long settlements =
                store.claim().claim(claimant(NODE, SUBSCRIPTION, "letter.*"), List.of(), Lane.COUNT_DEFAULT).stream()
                        .mapToLong(Claim.ClaimedLane::settlement)
                        .sum();
        assertThat(settlements).isBetween(11L, 10L + 1 + Lane.COUNT_DEFAULT);
    }

    @Test
    void ten_subscriptions_settle_what_they_deliver_and_hardly_anything_else() {
        Postrider<T> node = node(
                quick().subscriptions(s -> s.rereadEvery(Duration.ofMillis(5)).settleQuietEvery(LONG_LEASE)));
        List<String> names = List.of(numbered("subscription", 10));
        Map<String, Letters> letters = names.stream().collect(Collectors.toMap(name -> name, name -> new Letters()));
        letters.forEach((name, handler) ->
                node.subscribe(name).on("letter.*", String.class, handler).start());
        List<String> texts = List.of(numbered("n", 30));
        for (String text : texts) {
            send(node, text, text);
            letters.values().forEach(handler -> assertDelivered(handler, text));
        }
        node.close();
        long settlements = 0;
        for (String name : names) {
            store.renew().renew(NODE, LONG_LEASE, Set.of(name));
            settlements += store.claim().claim(claimant(NODE, name, "letter.*"), List.of(), Lane.COUNT_DEFAULT).stream()
                    .mapToLong(Claim.ClaimedLane::settlement)
                    .sum();
        }
        int deliveries = names.size() * texts.size();
        assertThat(settlements).isBetween((long) deliveries, deliveries + 30L);
    }

    @Test
    void types_that_nobody_handles_are_skipped_and_counted() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        send(
                node,
                List.of(Event.of("parcel.sent", "p").key("ann"), letter("ann", "a"), Event.of("letter.sent.twice", 2)));
        assertLedger(new Counts(1, 2, 0, 0, 0, 0), 0);
        assertThat(letters.delivered()).containsExactly("a");
    }

    @Test
    void a_name_comes_before_a_pattern_and_patterns_in_their_order() {
        Postrider<T> node = node();
        Letters exact = new Letters();
        Letters oneLevel = new Letters();
        Letters anything = new Letters();
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, oneLevel)
                .on("**", String.class, anything)
                .on("letter.sent", String.class, exact)
                .start();
        send(
                node,
                List.of(
                        Event.of("letter.sent", "exact"),
                        Event.of("letter.lost", "one level"),
                        Event.of("letter.lost.again", "two levels"),
                        Event.of("parcel", "anything")));
        assertAllDelivered(4);
        assertThat(exact.delivered()).containsExactly("exact");
        assertThat(oneLevel.delivered()).containsExactly("one level");
        assertThat(anything.delivered()).containsExactlyInAnyOrder("two levels", "anything");
    }

    @Test
    void a_handler_knows_the_event_it_handles() throws Exception {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        Event event = letter("ann", "a")
                .correlationId("c-1")
                .userId("u-1")
                .tenant("acme")
                .header("x", "y");
        EventId id = node.transaction(transaction -> node.outbox().append(transaction, event));
        assertDelivered(letters, "a");
        EventContext context = letters.context("a");
        assertThat(context.id()).isEqualTo(id);
        assertThat(context.type()).isEqualTo(TYPE);
        assertThat(context.key()).contains("ann");
        assertThat(context.subscription()).isEqualTo(SUBSCRIPTION);
        assertThat(context.attempt()).isEqualTo(1);
        assertThat(context.correlationId()).contains("c-1");
        assertThat(context.userId()).contains("u-1");
        assertThat(context.headers().get("x")).contains("y");
        assertThat(context.event().tenant()).isEqualTo("acme");
    }

    @Test
    void what_a_handler_appends_inherits_from_its_cause() {
        Postrider<T> node = node();
        Letters replies = new Letters();
        node.subscribe(SUBSCRIPTION)
                .on(TYPE, String.class, (text, context) -> send(node, List.of(Event.of("reply.sent", "re: " + text))))
                .on("reply.*", String.class, replies)
                .start();
        EventId cause = drawId();
        send(node, List.of(letter("ann", "a").id(cause).userId("u-1")));
        assertDelivered(replies, "re: a");
        EventContext reply = replies.context("re: a");
        assertThat(reply.correlationId()).contains(cause.toString());
        assertThat(reply.causationId()).contains(cause.toString());
        assertThat(reply.userId()).contains("u-1");
        send(node, List.of(letter("ann", "b").correlationId("given")));
        assertDelivered(replies, "re: b");
        assertThat(replies.context("re: b").correlationId()).contains("given");
    }

    // ---- batches ----------------------------------------------------------------------------------------------------

    @Test
    void a_batch_handler_gets_several_events_at_once_but_no_more_than_it_takes() {
        Postrider<T> node = node();
        List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());
        sendToManyKeys(node, 30);
        node.subscribe(SUBSCRIPTION)
                .onBatch("letter.*", String.class, 10, events -> batches.add(texts(events)))
                .start();
        assertAllDelivered(30);
        assertThat(batches).allSatisfy(batch -> assertThat(batch).hasSizeLessThanOrEqualTo(10));
        assertThat(batches).anySatisfy(batch -> assertThat(batch).hasSizeGreaterThan(1));
        assertThat(batches.stream().flatMap(List::stream)).hasSize(30).doesNotHaveDuplicates();
    }

    @Test
    void events_of_a_batch_that_failed_are_tried_again_alone() {
        Postrider<T> node = node();
        List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());
        sendToManyKeys(node, 10);
        node.subscribe(SUBSCRIPTION)
                .onBatch("letter.*", String.class, 10, events -> {
                    if (events.size() > 1 || texts(events).contains("n3")) {
                        throw new UnsupportedOperationException("one of them is bad");
                    }
                    batches.add(texts(events));
                })
                .retry(QUICK.fatal(UnsupportedOperationException.class))
                .start();
        assertLedger(new Counts(9, 0, 0, 1, 0, 0), 0);
        assertThat(batches).hasSize(9);
        assertThat(awaitDead().error()).contains("one of them is bad");
    }

    private void sendToManyKeys(Postrider<T> node, int count) {
        List<Event> events = new ArrayList<>();
        for (String key : keysBeside("ann", count)) {
            events.add(letter(key, "n" + events.size()));
        }
        send(node, events);
    }

    private static List<String> texts(List<BatchHandler.Received<String>> events) {
        return events.stream().map(BatchHandler.Received::payload).toList();
    }

    // ---- bad input --------------------------------------------------------------------------------------------------

    @Test
    void a_bad_append_is_refused_and_leaves_nothing() {
        Postrider<T> node = node(quick().payloadBytes(100));
        Letters letters = new Letters();
        letters(node, letters).start();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> send(node, List.of(letter("ann", "good"), Event.of(TYPE, "x".repeat(99)))))
                .withMessageContaining("payloadBytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> send(node, List.of(letter("ann", "good"), Event.of(TYPE, Payload.json("{")))))
                .withMessageContaining("not JSON");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> send(node, List.of(letter("ann", "good"), Event.of(TYPE, new Object() {
                    @SuppressWarnings("unused")
                    public Object getSelf() {
                        return this;
                    }
                }))));
        send(node, "ann", "a");
        assertDelivered(letters, "a");
        assertAllDelivered(1);
    }

    @Test
    void a_subscription_has_handlers_and_one_for_each_pattern() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        assertThatIllegalStateException()
                .isThrownBy(() -> node.subscribe(SUBSCRIPTION).start());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> letters(node, letters).on("letter.*", (text, context) -> {}))
                .withMessageContaining("letter.*");
        assertThat(store.browse().subscriptions()).isEmpty();
        letters(node, letters).start();
        assertThatIllegalStateException()
                .isThrownBy(() -> letters(node, letters).start());
        send(node, "ann", "a");
        assertDelivered(letters, "a");
    }
}
