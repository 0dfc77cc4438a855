package io.postrider.observability;

import static io.postrider.observability.TestNode.SUBSCRIPTION;
import static io.postrider.observability.TestNode.letter;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination.Dispatch;
import io.postrider.destination.Outcome;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.operate.Removal;
import io.postrider.wire.Incoming;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A real node is observed, and what Prometheus scrapes is read. */
class MetersTest {
    private static final String WALLET = "subscription=\"" + SUBSCRIPTION + "\"";
    private static final String HANDLER = "handler=\"" + SUBSCRIPTION + "\"";
    private static final String OF_TYPE = "event_type=\"letter.sent\"";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Meters meters = Meters.on(registry);
    private final TestNode node = new TestNode(meters);
    private final Gauges gauges =
            new Gauges(new LogRegistry(registry, "outbox", true), node.store.browse(), InstantSource.system());
    private final Letters letters = new Letters();

    @AfterEach
    void close() {
        letters.release();
        gauges.close();
        node.close();
    }

    @Test
    void an_event_that_is_delivered_is_counted_from_append_to_settle() {
        node.handle(letters);
        node.append(letter("ann"), letter("bob"));
        node.awaitDelivered(2);
        assertEventually("outbox_done_total", 2, WALLET);
        assertValue("outbox_new_total", 2);
        assertValue("events_published_total", 2, OF_TYPE);
        assertValue("outbox_publish_success_total", 2, WALLET, OF_TYPE);
        assertValue("outbox_publish_failed_total", 0, WALLET, OF_TYPE);
        assertValue("events_processed_total", 2, HANDLER, OF_TYPE, "status=\"success\"");
        assertValue("events_processed_total", 0, HANDLER, OF_TYPE, "status=\"error\"");
        assertValue("event_processing_duration_seconds_count", 2, HANDLER, OF_TYPE);
        assertValue("outbox_publish_latency_ms_count", 2, WALLET);
        assertValue("postrider_delivery_delay_seconds_count", 2, WALLET);
        assertValue("postrider_settled_total", 2, WALLET, "outcome=\"delivered\"");
        assertValue("outbox_failed_total", 0, WALLET);
        assertValue("processing_inflight", 0, WALLET);
    }

    @Test
    void a_subscription_that_is_removed_takes_its_meters_along_until_it_is_started_anew() {
        node.handle(letters);
        node.append(letter("ann"));
        node.awaitDelivered(1);
        assertEventually("postrider_lanes_owned", 16, WALLET);
        node.postrider.operator().remove(SUBSCRIPTION, new By("ops", "done with it"));
        Eventually.holds(() -> assertThat(registry.scrape()).doesNotContain(WALLET, HANDLER));
        node.handle(letters);
        assertEventually("postrider_lanes_owned", 16, WALLET);
    }

    @Test
    void a_subscription_that_another_node_removes_takes_its_meters_along() {
        node.handle(letters);
        assertEventually("postrider_lanes_owned", 16, WALLET);
        node.store.operate().remove(SUBSCRIPTION, new By("ops", "done with it"), Removal.DROPPING);
        Eventually.holds(() -> assertThat(registry.scrape()).doesNotContain(WALLET, HANDLER));
    }

    @Test
    void the_destinations_of_a_removed_subscription_are_shown_no_more() {
        Observer log = meters.forLog("outbox");
        log.observe(new Observation.DestinationDown("gone (Kafka orders)", "no broker"));
        log.observe(new Observation.DestinationDown("gone.not (Kafka orders)", "no broker"));
        log.observe(new Observation.Unsealed("gone", "gone (Kafka orders)", "orders", 1));
        log.observe(new Observation.Removed("gone"));
        assertThat(registry.scrape())
                .doesNotContain("\"gone (Kafka", "\"gone\"")
                .contains("gone.not (Kafka orders)");
    }

    @Test
    void an_event_that_is_retried_has_failed_and_is_done() {
        node.handle(letters.fail(2));
        node.append(letter("ann"));
        node.awaitDelivered(1);
        assertEventually("outbox_done_total", 1, WALLET);
        assertValue("outbox_publish_failed_total", 2, WALLET, OF_TYPE);
        assertValue("outbox_publish_success_total", 1, WALLET, OF_TYPE);
        assertValue("events_processed_total", 2, HANDLER, OF_TYPE, "status=\"error\"");
        assertValue("event_processing_duration_seconds_count", 3, HANDLER, OF_TYPE);
        assertValue("outbox_failed_total", 2, WALLET);
        assertValue("outbox_new_total", 1);
        assertValue("postrider_settled_total", 0, WALLET, "outcome=\"dead\"");
    }

    @Test
    void a_dead_event_is_in_the_dead_letter_queue_until_it_is_replayed() {
        node.handle(letters.fail(3));
        node.append(letter("ann"));
        node.awaitLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
        assertEventually("postrider_settled_total", 1, WALLET, "outcome=\"dead\"");
        gauges.read();
        assertValue("dead_letter_queue_size", 1, WALLET);
        assertValue("outbox_pending_count", 0, WALLET);
        assertValue("outbox_failed_total", 3, WALLET);
        assertValue("outbox_done_total", 0, WALLET);

        Position dead = node.store
                .browse()
                .deliveries(SUBSCRIPTION, Delivery.Status.DEAD, Position.ZERO, 1)
                .get(0)
                .position();
        assertThat(node.store
                        .operate()
                        .replay(SUBSCRIPTION, dead, new By("ops", ""))
                        .done())
                .isTrue();
        node.awaitDelivered(1);
        assertEventually("outbox_done_total", 1, WALLET);
        gauges.read();
        assertValue("dead_letter_queue_size", 0, WALLET);
        assertValue("postrider_settled_total", 1, WALLET, "outcome=\"dead\"");
    }

    @Test
    void an_event_that_expires_is_counted_as_such_and_as_nothing_else() {
        node.handle(letters);
        node.append(letter("ann").expiresAt(Instant.now().minusSeconds(1)));
        node.awaitLedger(new Counts(0, 0, 0, 0, 1, 0), 0);
        assertEventually("postrider_settled_total", 1, WALLET, "outcome=\"expired\"");
        assertValue("outbox_failed_total", 0, WALLET);
        assertValue("outbox_done_total", 0, WALLET);
        gauges.read();
        assertValue("postrider_events", 1, WALLET, "state=\"expired\"");
        assertValue("dead_letter_queue_size", 0, WALLET);
    }

    @Test
    void what_retention_lets_go_is_counted_by_reason() {
        meters.observe(new Observation.Dropped(new Drop(
                SUBSCRIPTION,
                Drop.Reason.EXPIRED,
                3,
                new Position(1),
                new Position(9),
                Instant.EPOCH,
                Instant.EPOCH,
                Instant.EPOCH)));
        assertValue("postrider_dropped_total", 3, WALLET, "reason=\"expired\"");
        assertValue("postrider_dropped_total", 0, WALLET, "reason=\"dead\"");
    }

    @Test
    void segments_are_shown_as_the_last_prune_left_them_and_failing_drops_are_counted() {
        meters.observe(new Observation.Pruned(1, 2, 40, 30));
        meters.observe(new Observation.Pruned(0, 0, 41, 31));
        assertValue("postrider_segments", 41);
        assertValue("postrider_segments_undropped", 31);
        assertValue("postrider_segments_drop_failed_total", 2);
        meters.observe(new Observation.Pruned(0, 31, 10, 0));
        assertValue("postrider_segments_undropped", 0);
        assertValue("postrider_segments_drop_failed_total", 2);
    }

    @Test
    void a_threat_of_expiry_is_shown_until_it_is_over() {
        meters.observe(new Observation.ExpiryThreatened(SUBSCRIPTION, Duration.ofMillis(1_500)));
        assertValue("postrider_expiry_short_by_seconds", 1.5, WALLET);
        meters.observe(new Observation.ExpiryThreatened(SUBSCRIPTION, Duration.ZERO));
        assertValue("postrider_expiry_short_by_seconds", 0, WALLET);
    }

    @Test
    void what_a_handler_works_on_is_in_flight() {
        letters.hold();
        node.handle(letters);
        node.append(letter("ann"), letter("bob"));
        assertEventually("processing_inflight", 2, WALLET);
        gauges.read();
        assertValue("outbox_pending_count", 2, WALLET);
        letters.release();
        node.awaitDelivered(2);
        assertEventually("processing_inflight", 0, WALLET);
        gauges.read();
        assertValue("outbox_pending_count", 0, WALLET);
    }

    @Test
    void all_events_of_one_call_are_in_flight() {
        Observer.Dispatching call = meters.dispatching(List.of(dispatch("a"), dispatch("b"), dispatch("c")));
        assertValue("processing_inflight", 3, WALLET);
        call.left();
        assertValue("processing_inflight", 3, WALLET);
        call.answered(List.of(Outcome.DELIVERED, Outcome.DELIVERED, Outcome.DELIVERED));
        assertValue("processing_inflight", 0, WALLET);
    }

    @Test
    void latency_is_in_milliseconds_and_duration_in_seconds() {
        dispatched("letter.sent", Outcome.DELIVERED, Duration.ofMillis(250));
        assertValue("outbox_publish_latency_ms_sum", 250, WALLET);
        assertValue("outbox_publish_latency_ms_bucket", 0, WALLET, "le=\"100.0\"");
        assertValue("outbox_publish_latency_ms_bucket", 1, WALLET, "le=\"250.0\"");
        assertValue("event_processing_duration_seconds_sum", 0.25, HANDLER);
        assertValue("event_processing_duration_seconds_bucket", 0, HANDLER, "le=\"0.1\"");
        assertValue("event_processing_duration_seconds_bucket", 1, HANDLER, "le=\"0.25\"");
    }

    @Test
    void types_beyond_the_limit_share_a_label() {
        Meters bounded = Meters.on(registry, 2);
        for (String type : List.of("a", "b", "c", "d", "a")) {
            bounded.observe(dispatchedOf(type, Outcome.DELIVERED, Duration.ZERO));
        }
        assertValue("events_processed_total", 2, "event_type=\"a\"", "status=\"success\"");
        assertValue("events_processed_total", 1, "event_type=\"b\"", "status=\"success\"");
        assertValue("events_processed_total", 2, "event_type=\"other\"", "status=\"success\"");
        assertThat(scrape().has("events_processed_total", "event_type=\"c\"")).isFalse();
    }

    @Test
    void a_subscription_shows_its_share_and_zeroes_before_its_first_event() {
        node.handle(letters);
        assertEventually("postrider_lanes_owned", Lane.COUNT_DEFAULT, WALLET);
        assertValue("postrider_lanes", Lane.COUNT_DEFAULT, WALLET);
        assertValue("outbox_done_total", 0, WALLET);
        assertValue("outbox_failed_total", 0, WALLET);
        assertValue("postrider_lanes_lost_total", 0, WALLET);
        assertValue("postrider_lanes_full", 0, WALLET);
        assertValue("postrider_store_down", 0);
        node.close();
        assertValue("postrider_lanes_owned", 0, WALLET);
    }

    @Test
    void an_outbox_and_an_inbox_in_one_registry_stay_apart() {
        Observation appended = new Observation.Appended(List.of(
                new Observation.Appended.Written(new EventId(UUID.randomUUID()), Event.of("letter.sent", "x"))));
        meters.forLog("outbox").observe(appended);
        meters.forLog("inbox").observe(appended);
        meters.forLog("inbox").observe(appended);
        assertValue("postrider_appended_total", 1, "log=\"outbox\"");
        assertValue("postrider_appended_total", 2, "log=\"inbox\"");
        assertValue("events_published_total", 2, "log=\"inbox\"");
        assertValue("outbox_new_total", 2, "log=\"inbox\"");
    }

    @Test
    void a_node_tells_the_meters_which_log_it_has() {
        try (Postrider<MemoryTransaction> inbox = Postrider.on(
                MemoryStore.create("inbox"), PostriderConfig.defaults().observer(meters))) {
            inbox.inbox().receive("orders", List.of(message("1")));
        }
        assertValue("postrider_received_total", 1, "log=\"inbox\"", "source=\"orders\"");
    }

    @Test
    void without_aliases_every_name_begins_with_postrider() {
        PrometheusMeterRegistry bare = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (TestNode observed = new TestNode(Meters.on(bare).withoutAliases());
                Gauges read = new Gauges(
                        new LogRegistry(bare, "outbox", false), observed.store.browse(), InstantSource.system())) {
            observed.handle(new Letters().fail(1));
            observed.append(letter("ann"));
            observed.awaitDelivered(1);
            read.read();
            Eventually.holds(() -> assertThat(Scrape.of(bare).value("postrider_settled_total", "outcome=\"delivered\""))
                    .isEqualTo(1));
        }
        assertThat(Scrape.of(bare).kinds().keySet())
                .contains("postrider_appended_total", "postrider_dispatched_total", "postrider_failed_total")
                .allSatisfy(name -> assertThat(name).startsWith("postrider_"));
    }

    @Test
    void what_a_source_brings_is_counted_by_source() {
        String orders = "source=\"orders\"";
        node.postrider.inbox().receive("orders", List.of(message("1"), message("2"), message("1")));
        meters.observe(new Observation.SetAside("orders", "3", "no JSON"));
        meters.observe(new Observation.SourceDown("orders", "away"));
        meters.observe(new Observation.SourceWentBack("orders", "message 7 is another one"));
        assertValue("postrider_source_went_back_total", 1, orders);
        assertValue("postrider_received_total", 2, orders);
        assertValue("postrider_received_repeated_total", 1, orders);
        assertValue("postrider_received_aside_total", 1, orders);
        assertValue("postrider_source_down", 1, orders);
        meters.observe(new Observation.SourceUp("orders", Duration.ofSeconds(1)));
        assertValue("postrider_source_down", 0, orders);
    }

    private static Incoming message(String id) {
        return new Incoming(id, Event.of("order.placed", id));
    }

    @Test
    void trouble_is_shown_while_it_lasts() {
        meters.observe(new Observation.StoreDown("no route"));
        meters.observe(new Observation.Full(SUBSCRIPTION, new Lane(3), true));
        meters.observe(new Observation.Full(SUBSCRIPTION, new Lane(5), true));
        meters.observe(new Observation.Lost(SUBSCRIPTION, new Lane(7)));
        assertValue("postrider_store_down", 1);
        assertValue("postrider_lanes_full", 2, WALLET);
        assertValue("postrider_lanes_lost_total", 1, WALLET);
        assertValue("postrider_renewed_late_total", 0);
        meters.observe(new Observation.RenewedLate("node one", Duration.ofSeconds(7)));
        assertValue("postrider_renewed_late_total", 1);
        meters.observe(new Observation.StoreUp(Duration.ofSeconds(1)));
        meters.observe(new Observation.Full(SUBSCRIPTION, new Lane(3), false));
        assertValue("postrider_store_down", 0);
        assertValue("postrider_lanes_full", 1, WALLET);
    }

    @Test
    void a_destination_that_is_down_shows_since_when() {
        String broker = "destination=\"broker\"";
        meters.observe(new Observation.DestinationDown("broker", "no route"));
        assertValue("postrider_destination_down", 1, broker);
        assertThat(scrape().value("postrider_destination_down_since", broker))
                .isBetween(Instant.now().getEpochSecond() - 60.0, Instant.now().getEpochSecond() + 1.0);
        meters.observe(new Observation.DestinationUp("broker", Duration.ofSeconds(1)));
        meters.observe(new Observation.Unsealed(SUBSCRIPTION, "broker", "ORDERS", 12));
        assertValue("postrider_destination_down", 0, broker);
        assertValue("postrider_destination_down_since", 0, broker);
        assertValue("postrider_destination_outages_total", 1, broker);
        assertValue("postrider_destination_lost_total", 12, broker, WALLET);
    }

    private void dispatched(String type, Outcome outcome, Duration took) {
        meters.observe(dispatchedOf(type, outcome, took));
    }

    private static Observation.Dispatched dispatchedOf(String type, Outcome outcome, Duration took) {
        return new Observation.Dispatched(SUBSCRIPTION, event(type), 1, outcome, took);
    }

    private static Dispatch dispatch(String type) {
        return new Dispatch(SUBSCRIPTION, event(type), 1);
    }

    private static StoredEvent event(String type) {
        EventId id = new EventId(UUID.randomUUID());
        return new StoredEvent(
                new Position(1),
                Lane.of("ann", id, Lane.COUNT_DEFAULT),
                id,
                type,
                "ann",
                "{}",
                Headers.NONE,
                null,
                Instant.now());
    }

    private Scrape scrape() {
        return Scrape.of(registry);
    }

    private void assertValue(String name, double expected, String... labels) {
        assertThat(scrape().value(name, labels)).as(name).isEqualTo(expected);
    }

    private void assertEventually(String name, double expected, String... labels) {
        Eventually.holds(() -> assertValue(name, expected, labels));
    }
}
