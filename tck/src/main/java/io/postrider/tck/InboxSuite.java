package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Inbox;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.ReceiveOptions;
import io.postrider.Receiving;
import io.postrider.Transact;
import io.postrider.observe.Observation;
import io.postrider.store.Store.Limitation;
import io.postrider.store.StoreException;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The inbox: what a source has is stored once, acknowledged then, and delivered like everything else in a log. */
@RefusedWith(Limitation.NO_TRANSACTIONS)
public abstract class InboxSuite<T> extends EngineCase<T> {
    static final ReceiveOptions OPTIONS = ReceiveOptions.DEFAULT
            .most(10)
            .inFlight(20)
            .pullWait(Duration.ofMillis(20))
            .backoff(Duration.ofMillis(2), Duration.ofMillis(20));

    /** So long that it is not in the id of its message. */
    private static final String UNWANTED = "unwanted " + "x".repeat(40);

    private final FakeSource source = new FakeSource();
    private final Letters letters = new Letters();

    private Postrider<T> receiver() {
        Postrider<T> node = node(config(quick()));
        letters(node, letters).start();
        return node;
    }

    @Override
    void assertRefused(Limitation limitation) {
        Postrider<T> node = node();
        String what = "messages of 'orders' are received in transactions";
        assertRefused(limitation, what, () -> node.receive(source, OPTIONS));
        assertRefused(limitation, what, () -> node.inbox().receive("orders", List.of()));
    }

    // ---- once -------------------------------------------------------------------------------------------------------

    @Test
    void a_message_is_stored_acknowledged_and_delivered() {
        source.send("ann", "a");
        source.send("ann", "b");
        Receiving receiving = receiver().receive(source, OPTIONS);
        assertAllDelivered(2);
        assertThat(letters.delivered("ann")).containsExactly("a", "b");
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(2));
        assertThat(letters.context("a").headers().values())
                .isEqualTo(Map.of(Headers.SOURCE, "orders", Headers.MESSAGE_ID, "id of \"a\""));
        eventually()
                .holds(() -> assertThat(receiving.status())
                        .isEqualTo(new Receiving.Status("orders", null, null, 2, 0, 0, 0)));
    }

    @Test
    void a_message_that_comes_again_is_delivered_once_and_counted() {
        source.loseAcks(true);
        for (int i = 0; i < 30; i++) {
            source.send("ann", "text " + i);
        }
        Receiving receiving = receiver().receive(source, OPTIONS);
        eventually().holds(() -> assertThat(receiving.status().done()).isEqualTo(30));
        source.loseAcks(false);
        source.redeliver();
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(30));
        assertAllDelivered(30);
        assertThat(letters.started()).hasSize(30);
        eventually().holds(() -> assertThat(receiving.status().repeated()).isEqualTo(30));
        assertThat(store.receive().repeated("orders")).isEqualTo(30);
        assertThat(observed(Observation.Received.class).stream()
                        .mapToInt(Observation.Received::repeated)
                        .sum())
                .isEqualTo(30);
    }

    @Test
    @Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void its_status_can_be_asked_for_at_any_moment() {
        for (int i = 0; i < 2_000; i++) {
            source.send("key " + i % 7, "text " + i);
        }
        Receiving receiving = receiver().receive(source, OPTIONS);
        while (receiving.status().done() < 2_000) {
            Thread.onSpinWait();
        }
        assertAllDelivered(2_000);
    }

    @Test
    void nodes_that_share_a_source_store_each_message_once() {
        for (int i = 0; i < 100; i++) {
            source.send("key " + i % 7, "text " + i);
        }
        receiver().receive(source, OPTIONS);
        Receiving other = node().receive(source, OPTIONS);
        source.redeliver();
        assertAllDelivered(100);
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(100));
        assertThat(letters.started()).hasSize(100).doesNotHaveDuplicates();
        other.close();
    }

    @Test
    void a_store_that_does_not_answer_loses_nothing_and_nothing_is_acknowledged() {
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
        letters(node, letters).start();
        for (int i = 0; i < 50; i++) {
            source.send("ann", "text " + i);
        }
        Receiving receiving = node.receive(source, OPTIONS);
        eventually().holds(() -> assertThat(receiving.status().waiting()).isEqualTo("no answer"));
        eventually().holds(() -> assertThat(receiving.status().inHand()).isEqualTo(20));
        assertThat(source.acked()).isZero();
        assertThat(source.naks()).isZero();
        down.set(false);
        assertAllDelivered(50);
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(50));
        assertThat(source.pulled()).isEqualTo(50);
        assertThat(letters.delivered("ann")).hasSize(50).startsWith("text 0", "text 1", "text 2");
        assertThat(receiving.status().waiting()).isNull();
    }

    @Test
    void a_source_that_does_not_answer_is_asked_again_and_that_is_said_once() {
        source.down(true);
        Receiving receiving = receiver().receive(source, OPTIONS);
        source.send("ann", "a");
        eventually().holds(() -> assertThat(receiving.status().down()).isEqualTo("the broker is away"));
        source.down(false);
        assertAllDelivered(1);
        assertThat(receiving.status().down()).isNull();
        assertThat(observed(Observation.SourceDown.class))
                .containsExactly(new Observation.SourceDown("orders", "the broker is away"));
        assertThat(observed(Observation.SourceUp.class)).hasSize(1);
    }

    @Test
    void a_closed_receiving_takes_nothing_more() {
        Postrider<T> node = receiver();
        Receiving receiving = node.receive(source, OPTIONS);
        source.send("ann", "a");
        assertAllDelivered(1);
        receiving.close();
        source.send("ann", "b");
        assertThat(source.pulled()).isEqualTo(1);
        node.receive(source, OPTIONS);
        assertAllDelivered(2);
        node.close();
        assertThatThrownBy(() -> node.receive(source, OPTIONS)).hasMessageContaining("this node was closed");
    }

    // ---- what is no event -------------------------------------------------------------------------------------------

    @Test
    void a_message_of_which_no_event_can_be_made_is_kept_as_it_came_and_stops_no_other() {
        List<JsonNode> kept = keeping();
        byte[] binary = {(byte) 0xC3, 0x28, 0};
        source.send(new Message(Map.of("a", "b", Headers.CORRELATION_ID, "c-1"), binary));
        source.send(Map.of(), "{ no json");
        source.send("ann", "a");
        Receiving receiving = receiver().receive(source, OPTIONS);
        assertDelivered(letters, "a");
        eventually().holds(() -> assertThat(kept).hasSize(2));
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(3));
        kept.sort((one, other) -> one.get("bytes").asInt() - other.get("bytes").asInt());
        assertThat(kept.get(0).get("reason").asString()).isEqualTo("the message is no UTF-8 text");
        assertThat(kept.get(0).get("messageId").asString()).isEqualTo("stream:1");
        assertThat(kept.get(0).get("headers").get("a").asString()).isEqualTo("b");
        assertThat(Base64.getDecoder().decode(kept.get(0).get("body").asString()))
                .isEqualTo(binary);
        assertThat(kept.get(1).get("reason").asString()).contains("is not JSON");
        assertThat(Base64.getDecoder().decode(kept.get(1).get("body").asString()))
                .asString()
                .isEqualTo("{ no json");
        eventually().holds(() -> assertThat(receiving.status().setAside()).isEqualTo(2));
        assertThat(observed(Observation.SetAside.class)).hasSize(2);
    }

    @Test
    void of_a_message_that_is_too_large_the_beginning_is_kept_and_its_source_is_told() {
        List<JsonNode> kept = keeping();
        source.send(Map.of(), "\"" + "x".repeat(5_000) + "\"");
        Postrider<T> node = node(config(quick().payloadBytes(2_000)));
        node.receive(source, OPTIONS);
        eventually().holds(() -> assertThat(kept).hasSize(1));
        assertThat(kept.get(0).get("bytes").asInt()).isEqualTo(5_002);
        assertThat(Base64.getDecoder().decode(kept.get(0).get("body").asString()))
                .hasSizeBetween(1_000, 1_500)
                .asString()
                .startsWith("\"xxx");
        eventually().holds(() -> assertThat(source.termed()).hasSize(1));
        assertThat(source.termed().get(0)).contains("the limit payloadBytes is 2000");
    }

    @Test
    void a_message_whose_id_and_traces_no_log_takes_is_kept_all_the_same() {
        List<JsonNode> kept = keeping();
        source.send(
                Map.of(Message.ID, "half \0 an id", Headers.CORRELATION_ID, "c".repeat(600), Headers.USER_ID, "ann"),
                "\"b\"");
        source.send("ann", "a");
        receiver().receive(source, OPTIONS);
        assertDelivered(letters, "a");
        eventually().holds(() -> assertThat(kept).hasSize(1));
        assertThat(kept.get(0).get("headers").get(Headers.CORRELATION_ID).asString())
                .hasSize(600);
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(2));
        assertThat(source.naks()).isZero();
    }

    @Test
    void a_message_whose_decoding_fails_unexpectedly_is_set_aside_and_those_behind_it_keep_their_order() {
        List<JsonNode> kept = keeping();
        source.send("ann", "a");
        source.sendUndecodable(new NullPointerException("a codec without a table"));
        source.sendUndecodable(new IllegalArgumentException("no such format"));
        source.send("ann", "b");
        source.send("ann", "c");
        Receiving receiving = receiver().receive(source, OPTIONS);
        eventually().holds(() -> assertThat(letters.delivered("ann")).containsExactly("a", "b", "c"));
        eventually().holds(() -> assertThat(kept).hasSize(2));
        assertThat(kept)
                .extracting(one -> one.get("reason").asString())
                .containsExactlyInAnyOrder("java.lang.NullPointerException: a codec without a table", "no such format");
        eventually().holds(() -> assertThat(source.termed()).hasSize(2));
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(3));
        assertThat(source.naks()).isZero();
        eventually().holds(() -> assertThat(receiving.status().setAside()).isEqualTo(2));
        assertThat(observed(Observation.SetAside.class)).hasSize(2);
    }

    @Test
    void a_message_that_is_refused_at_its_commit_is_kept_aside_and_stops_no_other() {
        fixture.refuseAtCommit("unwanted");
        List<JsonNode> kept = keeping();
        source.send("ann", "a");
        source.send("ann", UNWANTED);
        source.send("ann", "b");
        source.send("bob", "c");
        Receiving receiving = receiver().receive(source, OPTIONS);
        eventually().holds(() -> assertThat(letters.delivered()).containsExactlyInAnyOrder("a", "b", "c"));
        assertThat(letters.delivered("ann")).containsExactly("a", "b");
        eventually().holds(() -> assertThat(kept).hasSize(1));
        assertThat(kept.get(0).get("messageId").asString()).isEqualTo("id of " + (UNWANTED.length() + 2));
        assertThat(kept.get(0).get("reason").asString()).contains("refuses the event at its commit");
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(4));
        eventually().holds(() -> assertThat(receiving.status().setAside()).isEqualTo(1));
        assertThat(receiving.status().waiting()).isNull();
        assertThat(observed(Observation.SetAside.class)).hasSize(1);
    }

    @Test
    void a_message_that_is_refused_at_its_commit_also_aside_stays_at_its_source_and_stops_no_other() {
        fixture.refuseAtCommit("unwanted");
        fixture.refuseAtCommit(
                Base64.getEncoder().encodeToString(("\"" + UNWANTED + "\"").getBytes(StandardCharsets.UTF_8)));
        source.send("ann", UNWANTED);
        source.send("bob", "a");
        receiver().receive(source, OPTIONS);
        assertDelivered(letters, "a");
        eventually().holds(() -> assertThat(source.naks()).isPositive());
        eventually().holds(() -> assertThat(source.acked()).isEqualTo(1));
        assertThat(source.termed()).isEmpty();
    }

    /** What was set aside, as an operator's own subscription gets it. */
    private List<JsonNode> keeping() {
        JsonMapper json = JsonMapper.builder().build();
        List<JsonNode> kept = Collections.synchronizedList(new ArrayList<>());
        node().subscribe("operator")
                .on(Inbox.UNDECODABLE, (payload, context) -> kept.add(json.readTree(payload)))
                .start();
        return kept;
    }

    // ---- by hand ----------------------------------------------------------------------------------------------------

    @Test
    void what_is_refused_is_named_and_the_others_are_stored() {
        Incoming good = new Incoming("1", letter("ann", "good"));
        Incoming bad = new Incoming("2", Event.of(TYPE, Payload.json("{")));
        Incoming other = new Incoming("3", letter("ann", "other"));
        Inbox inbox = receiver().inbox();
        Inbox.Received received = inbox.receive("http", List.of(good, bad, other, good));
        assertThat(received.stored()).isEqualTo(2);
        assertThat(received.repeated()).isEqualTo(1);
        assertThat(received.refused()).hasSize(1);
        assertThat(received.refused().get(0).message()).isSameAs(bad);
        assertThat(received.refused().get(0).why()).contains("is not JSON");
        assertAllDelivered(2);
        assertThat(letters.delivered()).containsExactly("good", "other");
        assertThatThrownBy(() -> inbox.receive(" ", List.of(good))).hasMessageContaining("a source's name has 1 to");
    }

    @Test
    void what_a_handler_appends_belongs_to_what_the_message_belonged_to() {
        Postrider<T> node = receiver();
        Letters parcels = new Letters();
        node.subscribe("orders")
                .onTransaction(
                        "order.*",
                        String.class,
                        (transaction, text, context) ->
                                node.outbox().append(transaction, Event.of("parcel.sent", "because of " + text)))
                .start();
        node.subscribe("parcels").on("parcel.*", String.class, parcels).start();
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        source.send(
                Map.of(Message.TYPE, "order.placed", Headers.CORRELATION_ID, "c-1", Headers.TRACEPARENT, trace),
                "\"a\"");
        node.receive(source, OPTIONS);
        assertDelivered(parcels, "because of a");
        assertThat(parcels.context("because of a").correlationId()).contains("c-1");
        assertThat(parcels.context("because of a").traceparent()).contains(trace);
        assertThat(parcels.context("because of a").causationId()).isPresent();
    }
}
