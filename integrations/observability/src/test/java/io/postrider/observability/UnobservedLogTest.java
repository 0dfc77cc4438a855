package io.postrider.observability;

import static io.postrider.observability.TestNode.SUBSCRIPTION;
import static io.postrider.observability.TestNode.TYPE;
import static io.postrider.observability.TestNode.letter;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.postrider.EventId;
import io.postrider.observe.Observer;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.policy.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log of a node that has no observers: what everyone is told. */
class UnobservedLogTest {
    private static final RetryPolicy TWICE =
            RetryPolicy.DEFAULT.attempts(3).pauses(Duration.ofMillis(5), Duration.ofMillis(5));

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.postrider");
    private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            lines.add(line);
        }
    };
    private final EventId id = new EventId(UUID.randomUUID());

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        ((Logger) LoggerFactory.getLogger(LogLines.LOGGER)).setAdditive(true);
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(appender);
    }

    private static TestNode failing(Observer... observers) {
        return new TestNode(observers)
                .handle(
                        (text, context) -> {
                            throw new IllegalStateException("no such street", new IllegalArgumentException("7"));
                        },
                        TWICE);
    }

    @Test
    void the_first_failure_and_the_burial_of_an_event_are_warnings_with_everything_one_needs() {
        try (TestNode node = failing()) {
            node.append(letter("ann").id(id));
            node.awaitLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
            Eventually.holds(
                    () -> assertThat(about("outbox_event_dead_lettered")).hasSize(1));
        }
        assertThat(about("outbox_publish_failed")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains(SUBSCRIPTION, TYPE, "'ann'", id.toString(), "attempt 1 of 3", "next try due at")
                    .contains("IllegalStateException: no such street")
                    .contains("caused by java.lang.IllegalArgumentException: 7");
            assertThat(line.getThrowableProxy().getCause().getMessage()).isEqualTo("7");
        });
        assertThat(about("outbox_event_dead_lettered")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains(SUBSCRIPTION, TYPE, "'ann'", id.toString(), "after attempt 3", "replay or discard");
            assertThat(line.getThrowableProxy()).isNotNull();
        });
    }

    @Test
    void a_key_with_line_breaks_writes_no_line_of_its_own() {
        try (TestNode node = failing()) {
            node.append(
                    letter("ann\n2026-01-01 WARN all is lost \u001b[31m\u2028").id(id));
            node.awaitLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
            Eventually.holds(
                    () -> assertThat(about("outbox_event_dead_lettered")).hasSize(1));
        }
        assertThat(lines)
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains("\n") || line.contains("\u001b") || line.contains("\u2028"))
                .anyMatch(line -> line.contains("key 'ann?2026-01-01 WARN all is lost ?[31m?'"));
    }

    @Test
    void the_stack_of_many_failures_of_one_kind_is_written_once() {
        try (TestNode node = failing()) {
            for (int i = 0; i < 20; i++) {
                node.append(letter("key" + i));
            }
            node.awaitLedger(new Counts(0, 0, 0, 20, 0, 0), 0);
            Eventually.holds(
                    () -> assertThat(about("outbox_event_dead_lettered")).hasSize(20));
        }
        assertThat(about("outbox_publish_failed")).hasSize(20);
        assertThat(about("outbox_publish_failed"))
                .filteredOn(line -> line.getThrowableProxy() != null)
                .hasSize(1);
        assertThat(about("outbox_event_dead_lettered"))
                .filteredOn(line -> line.getThrowableProxy() != null)
                .hasSize(1);
    }

    @Test
    void a_task_of_a_queue_that_fails_is_told_too() {
        try (TestNode node = new TestNode().handleTasks((text, context) -> {
            throw new IllegalStateException("no such street");
        })) {
            node.append(letter("ann").id(id));
            Eventually.holds(() -> assertThat(about("outbox_publish_failed")).hasSize(1));
        }
        assertThat(about("outbox_publish_failed").get(0).getFormattedMessage()).contains(id.toString());
    }

    @Test
    void events_that_expire_are_told_once_with_their_number_and_the_first_of_them() {
        try (TestNode node = new TestNode()) {
            node.append(
                    letter("ann").id(id).expiresAt(Instant.now().minusSeconds(60)),
                    letter("ann").expiresAt(Instant.now().minusSeconds(60)));
            node.handle(new Letters());
            node.awaitLedger(new Counts(0, 0, 0, 0, 2, 0), 0);
            Eventually.holds(() -> assertThat(about("outbox_event_expired")).hasSize(1));
            node.append(letter("bob").expiresAt(Instant.now().minusSeconds(60)));
            node.awaitLedger(new Counts(0, 0, 0, 0, 3, 0), 0);
            assertThat(about("outbox_event_expired")).hasSize(1);
        }
        assertThat(about("outbox_event_expired"))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line.getLevel()).isEqualTo(Level.WARN));
        assertThat(about("outbox_event_expired").get(0).getFormattedMessage())
                .contains("2 events", SUBSCRIPTION, TYPE, "'ann'", id.toString(), "replay or discard");
        assertThat(about("outbox_event_expired").get(1).getFormattedMessage()).contains("1 event ", "'bob'");
    }

    @Test
    void a_task_of_a_queue_that_expires_is_told_too() {
        try (TestNode node = new TestNode()) {
            node.append(letter("ann").id(id).expiresAt(Instant.now().minusSeconds(60)));
            node.handleTasks(new Letters());
            Eventually.holds(() -> assertThat(about("outbox_event_expired")).hasSize(1));
        }
        assertThat(about("outbox_event_expired").get(0).getFormattedMessage()).contains(id.toString());
    }

    @Test
    void with_structured_lines_no_expiry_is_told_twice() {
        try (TestNode node = new TestNode(LogLines.create())) {
            node.append(letter("ann").id(id).expiresAt(Instant.now().minusSeconds(60)));
            node.handle(new Letters());
            Eventually.holds(() -> assertThat(about("outbox_event_expired")).hasSize(1));
        }
        assertThat(about("outbox_event_expired"))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage()).isEqualTo("outbox_event_expired"));
    }

    @Test
    void with_structured_lines_no_failure_is_told_twice() {
        try (TestNode node = failing(LogLines.create())) {
            node.append(letter("ann").id(id));
            node.awaitLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
            Eventually.holds(
                    () -> assertThat(about("outbox_event_dead_lettered")).hasSize(1));
        }
        assertThat(about("outbox_publish_failed"))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line.getFormattedMessage()).isEqualTo("outbox_publish_failed"));
        assertThat(about("outbox_publish_failed").get(0).getThrowableProxy()).isNotNull();
        assertThat(about("outbox_event_dead_lettered").get(0).getThrowableProxy())
                .isNotNull();
    }

    @Test
    void a_subscription_tells_that_it_starts_and_which_lanes_it_takes_and_hands_back() {
        try (TestNode node = failing()) {
            Eventually.holds(() -> assertThat(about("takes 16 lanes")).hasSize(1));
        }
        assertThat(about("starts on node"))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("'" + SUBSCRIPTION + "'", "letter.*", "in order per key"));
        assertThat(about("hands back 16 lanes"))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage()).contains("the node stops"));
        assertThat(lines).allSatisfy(line -> assertThat(line.getLevel()).isEqualTo(Level.INFO));
    }

    @Test
    void a_subscription_that_is_removed_has_no_lanes_to_hand_back_and_says_why() {
        try (TestNode node = failing()) {
            Eventually.holds(() -> assertThat(about("takes 16 lanes")).hasSize(1));
            node.postrider.operator().remove(SUBSCRIPTION, new By("ops", "done with it"));
        }
        assertThat(about("hands back")).isEmpty();
        assertThat(about("no longer has 16 lanes"))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage()).contains("the subscription was removed"));
    }

    private List<ILoggingEvent> about(String words) {
        return lines.stream()
                .filter(line -> line.getFormattedMessage().contains(words))
                .toList();
    }
}
