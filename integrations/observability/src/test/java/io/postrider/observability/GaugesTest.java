package io.postrider.observability;

import static io.postrider.observability.TestNode.SUBSCRIPTION;
import static io.postrider.observability.TestNode.letter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.postrider.memory.MemoryTransaction;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.Operator;
import io.postrider.operate.Removal;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GaugesTest {
    private static final String WALLET = "subscription=\"" + SUBSCRIPTION + "\"";
    private static final RetryPolicy SLOW =
            RetryPolicy.DEFAULT.pauses(Duration.ofHours(1), Duration.ofHours(1)).attempts(5);
    /** How exact an age is on a busy machine. */
    private static final double SECONDS = 30;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final TestNode node = new TestNode();
    private final AskedStore store = new AskedStore(node.store);
    private Duration ahead = Duration.ZERO;
    private final Gauges gauges = new Gauges(
            new LogRegistry(registry, "outbox", true),
            store,
            () -> Instant.now().plus(ahead));

    @AfterEach
    void close() {
        gauges.close();
        node.close();
    }

    @Test
    void what_nobody_has_read_is_pending_and_grows_older() {
        register();
        node.append(letter("ann"), letter("bob"));
        gauges.read();
        assertValue("outbox_pending_count", 2);
        ahead = Duration.ofHours(1);
        assertAge("outbox_oldest_pending_age_seconds", 3_600);
        assertAge("outbox_lag_seconds", 3_600);
        assertAge("postrider_worker_lag_seconds", 3_600);
        assertThat(scrape().value("postrider_events", WALLET, "state=\"pending\""))
                .isEqualTo(2);
    }

    @Test
    void what_waits_for_a_retry_is_pending_and_as_old_as_its_event() {
        node.handle(new Letters().fail(5), SLOW);
        node.append(letter("ann"));
        node.awaitLedger(new Counts(0, 0, 1, 0, 0, 0), 0);
        gauges.read();
        ahead = Duration.ofMinutes(10);
        assertValue("outbox_pending_count", 1);
        assertAge("outbox_oldest_pending_age_seconds", 600);
        assertAge("outbox_lag_seconds", 600);
        assertValue("postrider_worker_lag_seconds", 0);
        assertThat(scrape().value("postrider_events", WALLET, "state=\"parked\""))
                .isEqualTo(1);
    }

    @Test
    void what_is_wanted_later_is_pending_and_does_not_grow_old_before() {
        node.handle(new Letters());
        node.append(letter("ann").deliverAt(Instant.now().plus(Duration.ofHours(2))));
        node.awaitLedger(new Counts(0, 0, 1, 0, 0, 0), 0);
        gauges.read();
        ahead = Duration.ofHours(1);
        assertValue("outbox_pending_count", 1);
        assertValue("outbox_oldest_pending_age_seconds", 0);
        ahead = Duration.ofHours(3);
        assertAge("outbox_oldest_pending_age_seconds", 3_600);
    }

    @Test
    void tasks_that_nobody_has_claimed_are_pending_and_grow_older() {
        CountDownLatch gate = new CountDownLatch(1);
        node.handleTasks((payload, context) -> gate.await());
        node.append(letter("ann"), letter("bob"), letter("cid"));
        node.awaitLedger(new Counts(0, 0, 3, 0, 0, 0), 0);
        gauges.read();
        ahead = Duration.ofMinutes(10);
        assertValue("outbox_pending_count", 3);
        assertAge("outbox_oldest_pending_age_seconds", 600);
        gate.countDown();
        node.awaitDelivered(3);
    }

    @Test
    void nothing_pending_has_no_age() {
        node.handle(new Letters());
        node.append(letter("ann"));
        node.awaitDelivered(1);
        gauges.read();
        assertValue("outbox_pending_count", 0);
        assertValue("outbox_oldest_pending_age_seconds", 0);
        assertValue("outbox_lag_seconds", 0);
        assertThat(scrape().value("postrider_events", WALLET)).isEqualTo(1);
    }

    @Test
    void an_append_that_stays_open_grows_older_until_it_ends() {
        register();
        gauges.read();
        assertThat(scrape().value("postrider_open_append_age_seconds")).isZero();
        try (MemoryTransaction forgotten = node.begin(letter("ann"))) {
            gauges.read();
            ahead = Duration.ofMinutes(10);
            assertThat(scrape().value("postrider_open_append_age_seconds")).isCloseTo(600, within(SECONDS));
            forgotten.rollback();
        }
        gauges.read();
        assertThat(scrape().value("postrider_open_append_age_seconds")).isZero();
    }

    @Test
    void an_open_append_has_the_age_that_the_store_says_however_wrong_the_clock_of_the_node_is() {
        register();
        ahead = Duration.ofHours(1);
        try (MemoryTransaction open = node.begin(letter("ann"))) {
            gauges.read();
            assertThat(scrape().value("postrider_open_append_age_seconds")).isCloseTo(0, within(SECONDS));
            open.rollback();
        }
    }

    @Test
    void a_store_that_does_not_answer_leaves_the_last_values() {
        register();
        node.append(letter("ann"));
        gauges.read();
        store.silent(true);
        node.append(letter("bob"));
        ahead = Duration.ofMinutes(2);
        gauges.read();
        assertValue("outbox_pending_count", 1);
        assertThat(scrape().value("postrider_gauges_age_seconds")).isCloseTo(120, within(SECONDS));
        store.silent(false);
        gauges.read();
        assertValue("outbox_pending_count", 2);
        assertThat(scrape().value("postrider_gauges_age_seconds")).isCloseTo(0, within(SECONDS));
    }

    @Test
    void a_scrape_does_not_ask_the_store() {
        register();
        gauges.read();
        int asked = store.asked();
        scrape();
        scrape();
        assertThat(store.asked()).isEqualTo(asked);
    }

    @Test
    void a_subscription_that_is_removed_takes_its_gauges_along() {
        register();
        gauges.read();
        assertThat(scrape().has("outbox_pending_count", WALLET)).isTrue();
        node.store.operate().remove(SUBSCRIPTION, new By("ops", "done with it"), Removal.DROPPING);
        gauges.read();
        assertThat(scrape().has("outbox_pending_count", WALLET)).isFalse();
    }

    @Test
    void gauges_read_by_themselves_until_they_are_closed() {
        gauges.close();
        register();
        node.append(letter("ann"));
        try (Gauges busy = Gauges.on(registry, Operator.on(node.store), Duration.ofMillis(1))) {
            assertThat(busy).isNotNull();
            Eventually.holds(() -> assertValue("outbox_pending_count", 1));
            node.append(letter("bob"));
            Eventually.holds(() -> assertValue("outbox_pending_count", 2));
        }
        assertThat(scrape().kinds()).isEmpty();
    }

    private void register() {
        node.store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
    }

    private Scrape scrape() {
        return Scrape.of(registry);
    }

    private void assertValue(String name, double expected) {
        assertThat(scrape().value(name, WALLET)).as(name).isEqualTo(expected);
    }

    private void assertAge(String name, double seconds) {
        assertThat(scrape().value(name, WALLET)).as(name).isCloseTo(seconds, within(SECONDS));
    }
}
