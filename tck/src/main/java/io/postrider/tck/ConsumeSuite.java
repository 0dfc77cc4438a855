package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.ConsumerBuilder;
import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Inbox;
import io.postrider.Postrider;
import io.postrider.Receiving;
import io.postrider.Transact;
import io.postrider.UnreadableException;
import io.postrider.destination.SourceException;
import io.postrider.observe.Observation;
import io.postrider.store.Store.Limitation;
import io.postrider.store.StoreException;
import io.postrider.wire.Message;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The direct consumer: each message has its effect once, whatever lies between the commit and the acknowledgement. */
@RefusedWith(Limitation.NO_TRANSACTIONS)
public abstract class ConsumeSuite<T> extends EngineCase<T> {
    private final FakeSource source = new FakeSource();
    private final Letters letters = new Letters();

    private ConsumerBuilder<T> consumer(Postrider<T> node) {
        return node.consume("billing", source)
                .onTransaction("letter.*", String.class, (transaction, text, context) -> {
                    fixture.effect(transaction, text);
                    letters.handle(text, context);
                })
                .retry(QUICK)
                .options(InboxSuite.OPTIONS);
    }

    private void assertEffects(String... effects) {
        eventually().holds(() -> assertThat(fixture.effects()).containsExactlyInAnyOrder(effects));
    }

    @Override
    void assertRefused(Limitation limitation) {
        ConsumerBuilder<T> consumer = consumer(node());
        assertRefused(limitation, "consumer 'billing' handles messages of 'orders' in transactions", consumer::start);
    }

    @Test
    void a_message_is_acknowledged_when_its_effect_is_committed() {
        Gate gate = gate();
        letters.hold("a", gate);
        source.send("ann", "a");
        source.send("ann", "b");
        Receiving receiving = consumer(node()).start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        assertThat(source.acked()).isZero();
        gate.open();
        assertEffects("a", "b");
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(2));
        assertThat(letters.delivered("ann")).containsExactly("a", "b");
        eventually().holds(() -> assertThat(receiving.status().done()).isEqualTo(2));
    }

    @Test
    void a_message_whose_acknowledgement_is_lost_has_its_effect_once() {
        source.loseAcks(true);
        for (int i = 0; i < 20; i++) {
            source.send("key " + i % 3, "text " + i);
        }
        Receiving dying = consumer(node(config(quick()))).start();
        eventually().holds(() -> assertThat(dying.status().done()).isEqualTo(20));
        dying.close();
        source.loseAcks(false);
        source.redeliver();
        Receiving next = consumer(node(config(quick()))).start();
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(20));
        assertThat(fixture.effects()).hasSize(20).doesNotHaveDuplicates();
        eventually().holds(() -> assertThat(next.status().repeated()).isEqualTo(20));
        assertThat(observed(Observation.Repeated.class)).hasSize(20);
    }

    @Test
    void a_message_that_two_nodes_have_at_once_has_its_effect_once() {
        Gate gate = gate();
        letters.hold("a", gate);
        source.send("ann", "a");
        consumer(node()).start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        source.redeliver();
        consumer(node()).start();
        eventually().holds(() -> assertThat(source.pulled()).isEqualTo(2));
        gate.open();
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(1));
        assertEffects("a");
    }

    @Test
    void a_message_whose_handler_fails_comes_again_and_leaves_no_effect_meanwhile() {
        letters.fail("bad", 2);
        source.send("ann", "bad");
        source.send("bob", "good");
        consumer(node()).start();
        assertEffects("bad", "good");
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(2));
        assertThat(letters.attempts("bad")).containsExactly(1, 2, 3);
        assertThat(source.naks()).isEqualTo(2);
    }

    @Test
    void a_message_that_no_attempt_helps_is_given_up_and_kept() {
        Letters poison = new Letters();
        letters.failAlways("bad");
        source.send(Map.of(Message.KEY, "ann", Headers.CORRELATION_ID, "c-1"), "\"bad\"");
        source.send("ann", "good");
        Postrider<T> node = node(config(quick()));
        node.subscribe("operator").on(Inbox.POISON, poison).start();
        consumer(node).retry(QUICK.attempts(3)).start();
        eventually().holds(() -> assertThat(poison.delivered()).hasSize(1));
        String kept = poison.delivered().get(0);
        assertThat(kept).contains("bad is undeliverable", "id of \\\"bad\\\"", "ImJhZCI=");
        assertThat(poison.context(kept).correlationId()).contains("c-1");
        eventually().holds(() -> assertThat(source.termed()).hasSize(1));
        assertThat(letters.attempts("bad")).containsExactly(1, 2, 3);
        assertEffects("good");
        assertThat(observed(Observation.SetAside.class)).hasSize(1);
    }

    @Test
    void what_no_retry_can_heal_is_given_up_at_once() {
        letters.failAlways("bad");
        source.send("ann", "bad");
        source.send(Map.of(), "{\"not\": \"a text\"}");
        source.send(new Message(Map.of(), new byte[] {(byte) 0xC3, 0x28}));
        source.send("ann", "good");
        Receiving receiving = consumer(node())
                .retry(QUICK.fatal(IllegalStateException.class, UnreadableException.class))
                .start();
        eventually().holds(() -> assertThat(source.termed()).hasSize(3));
        assertEffects("good");
        assertThat(letters.attempts("bad")).containsExactly(1);
        assertThat(source.naks()).isZero();
        eventually().holds(() -> assertThat(receiving.status().setAside()).isEqualTo(3));
    }

    @Test
    void a_message_that_has_no_room_for_the_name_of_its_source_is_kept_and_does_not_come_again() {
        Letters kept = new Letters();
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < Headers.COUNT_MAX; i++) {
            headers.put("header " + i, "value");
        }
        source.send(headers, "\"crowded\"");
        source.send("ann", "good");
        Postrider<T> node = node(config(quick()));
        node.subscribe("operator").on(Inbox.UNDECODABLE, kept).start();
        Receiving receiving = consumer(node).start();
        eventually().holds(() -> assertThat(kept.delivered()).hasSize(1));
        assertThat(kept.delivered().get(0)).contains("an event has at most 100 headers", "header 99", "ImNyb3dkZWQi");
        eventually().holds(() -> assertThat(source.termed()).hasSize(1));
        assertEffects("good");
        assertThat(source.naks()).isZero();
        eventually().holds(() -> assertThat(receiving.status().setAside()).isEqualTo(1));
        assertThat(observed(Observation.SetAside.class)).hasSize(1);
    }

    @Test
    void a_message_whose_decoding_fails_unexpectedly_is_given_up_and_the_others_are_handled() {
        Letters kept = new Letters();
        source.sendUndecodable(new NullPointerException("a codec without a table"));
        source.sendUndecodable(new IllegalArgumentException("no such format"));
        source.send("ann", "good");
        Postrider<T> node = node(config(quick()));
        node.subscribe("operator").on(Inbox.UNDECODABLE, kept).start();
        consumer(node).start();
        eventually().holds(() -> assertThat(kept.delivered()).hasSize(2));
        assertThat(kept.delivered())
                .anySatisfy(one -> assertThat(one).contains("a codec without a table"))
                .anySatisfy(one -> assertThat(one).contains("no such format"));
        eventually().holds(() -> assertThat(source.termed()).hasSize(2));
        assertEffects("good");
        assertThat(source.naks()).isZero();
    }

    @Test
    void a_message_that_cannot_be_read_at_present_comes_again_however_its_failure_tells_of_itself() {
        source.sendUndecodable(new SourceException("the registry is away", new Speechless()));
        source.send("ann", "good");
        consumer(node(config(quick()))).start();
        assertEffects("good");
        eventually().holds(() -> assertThat(source.naks()).isPositive());
        assertThat(source.termed()).isEmpty();
    }

    @Test
    void while_the_store_does_not_answer_messages_wait_and_no_attempt_is_counted() {
        AtomicBoolean down = new AtomicBoolean(true);
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    if (down.get() && StorePorts.is(method, Transact.class, "transact")) {
                        throw new StoreException("no answer");
                    }
                    return call.now();
                }),
                config(quick()));
        closeAtEnd(node);
        source.send("ann", "a");
        source.send("ann", "b");
        Receiving receiving = consumer(node).start();
        eventually().holds(() -> assertThat(receiving.status().waiting()).isEqualTo("no answer"));
        down.set(false);
        assertEffects("a", "b");
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(2));
        assertThat(source.naks()).isZero();
        assertThat(letters.attempts("a")).containsExactly(1);
        assertThat(letters.delivered("ann")).containsExactly("a", "b");
    }

    @Test
    void the_source_hears_that_a_long_handler_still_works() {
        Gate gate = gate();
        letters.hold("slow", gate);
        source.send("ann", "slow");
        consumer(node())
                .options(InboxSuite.OPTIONS.heartbeat(Duration.ofMillis(5)))
                .start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        int before = source.workings();
        eventually().holds(() -> assertThat(source.workings()).isGreaterThan(before + 2));
        gate.open();
        assertEffects("slow");
    }

    @Test
    void a_handler_that_hangs_is_interrupted_and_its_message_comes_again() {
        Gate gate = gate();
        letters.hold("stuck", gate);
        source.send("ann", "stuck");
        consumer(node(quick().subscriptions(s -> s.handlerTimeout(Duration.ofSeconds(1)))))
                .options(InboxSuite.OPTIONS.heartbeat(Duration.ofMillis(5)))
                .start();
        assertEffects("stuck");
        assertThat(letters.attempts("stuck")).containsExactly(1, 2);
    }

    @Test
    void messages_in_hand_are_handled_in_order_per_key_and_beside_each_other() {
        Gate gate = gate();
        letters.hold("a1", gate);
        for (int i = 1; i <= 5; i++) {
            source.send("ann", "a" + i);
            source.send("bob", "b" + i);
        }
        consumer(node()).start();
        eventually().holds(() -> assertThat(letters.delivered("bob")).hasSize(5));
        assertThat(letters.started()).doesNotContain("a2");
        gate.open();
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(10));
        assertThat(letters.delivered("ann")).containsExactly("a1", "a2", "a3", "a4", "a5");
        assertThat(letters.delivered("bob")).containsExactly("b1", "b2", "b3", "b4", "b5");
        assertThat(letters.overlapped()).isFalse();
        assertThat(fixture.effects()).hasSize(10);
    }

    @Test
    void no_more_handlers_run_at_once_than_they_may() {
        Gate gate = gate();
        for (int i = 0; i < 6; i++) {
            letters.hold("text " + i, gate);
            source.send("key " + i, "text " + i);
        }
        consumer(node()).options(InboxSuite.OPTIONS.concurrency(2)).start();
        eventually().holds(() -> assertThat(source.pulled()).isEqualTo(6));
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(2));
        gate.open();
        eventually().holds(() -> assertThat(fixture.effects()).hasSize(6));
    }

    @Test
    void what_no_handler_takes_is_acknowledged() {
        source.send(Map.of(Message.TYPE, "parcel.sent"), "1");
        source.send("ann", "a");
        consumer(node()).start();
        assertEffects("a");
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(2));
        assertThat(letters.started()).containsExactly("a");
    }

    @Test
    void what_a_handler_appends_is_committed_with_its_effect_and_names_its_cause() {
        Postrider<T> node = node();
        Letters parcels = new Letters();
        node.subscribe("parcels").on("parcel.*", String.class, parcels).start();
        source.send(Map.of(Headers.CORRELATION_ID, "c-1"), "\"a\"");
        letters.fail("a", 1);
        node.consume("billing", source)
                .onTransaction("**", String.class, (transaction, text, context) -> {
                    node.outbox().append(transaction, Event.of("parcel.sent", "because of " + text));
                    letters.handle(text, context);
                })
                .retry(QUICK)
                .options(InboxSuite.OPTIONS)
                .start();
        assertDelivered(parcels, "because of a");
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(1));
        assertThat(parcels.started()).hasSize(1);
        assertThat(parcels.context("because of a").correlationId()).contains("c-1");
        assertThat(parcels.context("because of a").causationId())
                .contains(letters.context("a").id().toString());
    }

    @Test
    void what_cannot_work_is_refused_before_it_starts() {
        Postrider<T> node = node(quick().processedFor(Duration.ofMinutes(1)));
        assertThatThrownBy(() -> node.consume("billing", source).start())
                .hasMessageStartingWith("consumer 'billing' has no handler");
        assertThatThrownBy(() -> consumer(node).start()).hasMessageContaining("processedFor");
        assertThatThrownBy(() -> consumer(node).onTransaction("letter.*", (t, text, context) -> {}))
                .hasMessageContaining("two handlers for 'letter.*'");
        source.send("ann", "a");
        consumer(node).retry(QUICK.attempts(1)).start();
        assertEffects(List.of("a").toArray(String[]::new));
    }
}
