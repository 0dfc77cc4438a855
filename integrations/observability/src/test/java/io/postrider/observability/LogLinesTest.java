package io.postrider.observability;

import static io.postrider.observability.TestNode.SUBSCRIPTION;
import static io.postrider.observability.TestNode.TYPE;
import static io.postrider.observability.TestNode.letter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination.Dispatch;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.policy.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

class LogLinesTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(LogLines.LOGGER);
    private final Lines lines = new Lines();
    private final EventId id = new EventId(UUID.randomUUID());
    private final TestNode node = new TestNode(LogLines.create());

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        node.close();
        logger.detachAppender(lines);
    }

    @Test
    void an_event_that_is_retried_and_delivered_writes_its_story() {
        node.handle(new Letters().fail(1));
        node.append(letter("ann").id(id).correlationId("c-1"));
        awaitLines("outbox_event_enqueued", "outbox_publish_failed", "outbox_publish_succeeded");
        assertThat(lines.all())
                .allSatisfy(line -> assertThat(pairs(line))
                        .contains(
                                entry("eventId", id.toString()),
                                entry("eventType", TYPE),
                                entry("key", "ann"),
                                entry("correlationId", "c-1")));
        ILoggingEvent failed = line("outbox_publish_failed");
        assertThat(failed.getLevel()).isEqualTo(Level.WARN);
        assertThat(pairs(failed))
                .contains(
                        entry("subscription", SUBSCRIPTION),
                        entry("attempt", 1),
                        entry("error", "java.lang.IllegalStateException: to ann is undeliverable"));
        ILoggingEvent succeeded = line("outbox_publish_succeeded");
        assertThat(succeeded.getLevel()).isEqualTo(Level.INFO);
        assertThat(pairs(succeeded)).contains(entry("subscription", SUBSCRIPTION), entry("attempt", 2));
    }

    @Test
    void a_dead_event_writes_an_error_with_its_reason() {
        node.handle(new Letters().fail(3));
        node.append(letter("ann").id(id).correlationId("c-1"));
        awaitLines(
                "outbox_event_enqueued",
                "outbox_publish_failed",
                "outbox_publish_failed",
                "outbox_publish_failed",
                "outbox_event_dead_lettered");
        ILoggingEvent dead = line("outbox_event_dead_lettered");
        assertThat(dead.getLevel()).isEqualTo(Level.ERROR);
        assertThat(pairs(dead))
                .containsOnly(
                        entry("eventId", id.toString()),
                        entry("eventType", TYPE),
                        entry("key", "ann"),
                        entry("correlationId", "c-1"),
                        entry("subscription", SUBSCRIPTION),
                        entry("attempt", 3),
                        entry("error", "java.lang.IllegalStateException: to ann is undeliverable"));
    }

    @Test
    void an_event_that_expires_writes_a_warning() {
        node.handle(new Letters());
        node.append(letter("ann").correlationId("c-1").expiresAt(Instant.now().minusSeconds(1)));
        awaitLines("outbox_event_enqueued", "outbox_event_expired");
        ILoggingEvent expired = line("outbox_event_expired");
        assertThat(expired.getLevel()).isEqualTo(Level.WARN);
        assertThat(pairs(expired)).contains(entry("correlationId", "c-1"), entry("attempt", 0));
    }

    @Test
    void what_retention_lets_go_writes_its_record() {
        LogLines.create()
                .observe(new Observation.Dropped(new Drop(
                        SUBSCRIPTION,
                        Drop.Reason.DEAD,
                        2,
                        new Position(4),
                        new Position(7),
                        Instant.EPOCH,
                        Instant.MAX,
                        Instant.MAX)));
        assertThat(line("outbox_events_dropped").getLevel()).isEqualTo(Level.WARN);
        assertThat(pairs(line("outbox_events_dropped")))
                .containsOnly(
                        entry("subscription", SUBSCRIPTION),
                        entry("reason", "dead"),
                        entry("events", 2L),
                        entry("from", 4L),
                        entry("to", 7L),
                        entry("oldest", Instant.EPOCH),
                        entry("newest", Instant.MAX));
    }

    @Test
    void a_threat_of_expiry_writes_a_warning_and_its_end_nothing() {
        LogLines.create().observe(new Observation.ExpiryThreatened(SUBSCRIPTION, Duration.ZERO));
        assertThat(lines.all()).isEmpty();
        LogLines.create().observe(new Observation.ExpiryThreatened(SUBSCRIPTION, Duration.ofSeconds(2)));
        assertThat(line("outbox_expiry_threatened").getLevel()).isEqualTo(Level.WARN);
        assertThat(pairs(line("outbox_expiry_threatened")))
                .containsOnly(entry("subscription", SUBSCRIPTION), entry("shortByMs", 2_000L));
    }

    @Test
    void an_outage_of_a_destination_is_told_once_and_so_is_its_end() {
        LogLines.create().observe(new Observation.DestinationDown("broker", "no route"));
        LogLines.create().observe(new Observation.DestinationUp("broker", Duration.ofSeconds(2)));
        LogLines.create().observe(new Observation.Unsealed(SUBSCRIPTION, "broker", "ORDERS", 12));
        assertThat(pairs(line("destination_down")))
                .containsOnly(entry("destination", "broker"), entry("error", "no route"));
        assertThat(pairs(line("destination_up")))
                .containsOnly(entry("destination", "broker"), entry("afterMs", 2_000L));
        assertThat(pairs(line("destination_lost_events"))).contains(entry("stream", "ORDERS"), entry("events", 12));
    }

    @Test
    void an_event_without_a_correlation_begins_one_that_its_effects_share() {
        node.postrider
                .subscribe(SUBSCRIPTION)
                .on(TYPE, (payload, context) -> node.append(Event.of("reply.sent", "yes")))
                .on("reply.sent", (payload, context) -> {})
                .start();
        node.append(letter("ann").id(id));
        Eventually.holds(() -> assertThat(lines.all()).hasSize(4));
        assertThat(lines.all())
                .extracting(line -> pairs(line).get("correlationId"))
                .containsOnly(id.toString());
        assertThat(lines.all())
                .filteredOn(line -> "reply.sent".equals(pairs(line).get("eventType")))
                .extracting(line -> pairs(line).get("causationId"))
                .containsOnly(id.toString());
    }

    @Test
    void the_lines_of_a_handler_have_the_correlation_too() {
        List<String> seen = new CopyOnWriteArrayList<>();
        node.handle((text, context) -> seen.add(MDC.get("correlationId")));
        node.append(letter("ann").correlationId("c-1"), letter("bob").correlationId("c-2"));
        node.awaitDelivered(2);
        assertThat(seen).containsExactlyInAnyOrder("c-1", "c-2");
    }

    @Test
    void a_thread_gets_back_the_correlation_it_had() {
        StoredEvent event =
                new StoredEvent(new Position(1), new Lane(1), id, TYPE, "ann", "{}", Headers.NONE, null, Instant.now());
        List<Dispatch> dispatches = List.of(new Dispatch(SUBSCRIPTION, event, 1));
        MDC.put("correlationId", "before");
        Observer.Dispatching dispatching = LogLines.create().dispatching(dispatches);
        assertThat(MDC.get("correlationId")).isEqualTo(id.toString());
        dispatching.left();
        assertThat(MDC.get("correlationId")).isEqualTo("before");
        MDC.remove("correlationId");
        LogLines.create().dispatching(dispatches).left();
        assertThat(MDC.get("correlationId")).isNull();
    }

    @Test
    void a_row_whose_event_was_never_read_here_has_no_correlation() {
        Delivery row = new Delivery(
                new Position(1), id, TYPE, "ann", Delivery.Status.DEAD, 3, Instant.EPOCH, true, "gone", Schedule.NONE);
        LogLines.create()
                .observe(new Observation.Settled(
                        SUBSCRIPTION, new Lane(1), new Counts(0, 0, -1, 1, 0, 0), List.of(row), Map.of()));
        assertThat(pairs(line("outbox_event_dead_lettered"))).doesNotContainKey("correlationId");
    }

    @Test
    void routine_lines_may_be_quieter() {
        try (TestNode quiet = new TestNode(LogLines.routineAt(org.slf4j.event.Level.DEBUG))) {
            quiet.handle(new Letters().fail(1));
            quiet.append(letter("ann"));
            quiet.awaitDelivered(1);
        }
        assertThat(lines.all()).extracting(ILoggingEvent::getMessage).containsExactly("outbox_publish_failed");
    }

    private void awaitLines(String... names) {
        Eventually.holds(() ->
                assertThat(lines.all()).extracting(ILoggingEvent::getMessage).containsExactlyInAnyOrder(names));
    }

    private ILoggingEvent line(String name) {
        return lines.all().stream()
                .filter(line -> line.getMessage().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line " + name));
    }

    private static Map<String, Object> pairs(ILoggingEvent line) {
        Map<String, Object> pairs = new HashMap<>();
        line.getKeyValuePairs().forEach(pair -> pairs.put(pair.key, pair.value));
        return pairs;
    }

    /** Remembers lines; read while a node writes them. */
    private static final class Lines extends ListAppender<ILoggingEvent> {
        @Override
        protected synchronized void append(ILoggingEvent line) {
            super.append(line);
        }

        synchronized List<ILoggingEvent> all() {
            return new ArrayList<>(list);
        }
    }
}
