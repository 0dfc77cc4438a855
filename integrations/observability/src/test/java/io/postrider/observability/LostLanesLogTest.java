package io.postrider.observability;

import static io.postrider.observability.TestNode.SUBSCRIPTION;
import static io.postrider.observability.TestNode.letter;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.postrider.Event;
import io.postrider.Handler;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.policy.NodeLimits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node whose lanes another one takes tells it in one line, and warns only of what had been dispatched. */
class LostLanesLogTest {
    private static final Duration SELDOM = Duration.ofMinutes(10);

    private final MemoryStore store = MemoryStore.create();
    private final Postrider<MemoryTransaction> old = node(SELDOM);
    private final Postrider<MemoryTransaction> next = node(SELDOM);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final Lines lines = new Lines();

    @AfterEach
    void close() {
        gate.countDown();
        old.close();
        next.close();
        lines.close();
    }

    @Test
    void a_deployment_that_takes_quiet_lanes_warns_of_nothing_that_was_dispatched() {
        start(old, new Letters());
        append(old, noise());
        awaitLanes();
        deploy();
        append(next, noise());
        Eventually.holds(() -> assertThat(lines.about("no longer has 16 lanes")).hasSize(1));
        old.close();
        assertThat(lines.about("no longer has")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            assertThat(line.getFormattedMessage()).contains("changed its filter", "was settled");
        });
        assertThat(lines.about("a second time")).isEmpty();
        assertThat(lines.about("hands back")).isEmpty();
    }

    @Test
    void a_node_that_closes_without_knowing_hands_nothing_back_that_a_deployment_took() {
        start(old, new Letters());
        append(old, noise());
        awaitLanes();
        deploy();
        old.close();
        assertThat(lines.about("a second time")).isEmpty();
        assertThat(lines.about("hands back")).isEmpty();
        assertThat(lines.about("no longer has 16 lanes")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            assertThat(line.getFormattedMessage()).contains("'" + SUBSCRIPTION + "'");
        });
    }

    @Test
    void events_that_had_been_dispatched_and_not_settled_are_warned_of_in_one_line() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        start(old, (text, context) -> {
            entered.countDown();
            gate.await();
        });
        append(old, List.of(letter("ann")));
        entered.await();
        deploy();
        gate.countDown();
        Eventually.holds(() -> assertThat(lines.about("no longer has 16 lanes")).hasSize(1));
        old.close();
        assertThat(lines.about("a second time")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .matches("Node .+ no longer has 16 lanes \\(.+\\) of subscription '" + SUBSCRIPTION
                            + "': another node has changed its filter\\. Events of lane \\d+ had been dispatched and"
                            + " were not settled: they may be delivered a second time");
        });
    }

    @Test
    void a_removed_subscription_warns_of_no_second_delivery() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        start(old, (text, context) -> {
            entered.countDown();
            gate.await();
        });
        append(old, List.of(letter("ann")));
        entered.await();
        next.operator().remove(SUBSCRIPTION, new By("ann", "not needed any more"), Removal.DROPPING);
        gate.countDown();
        Eventually.holds(() -> assertThat(lines.about("no longer has")).hasSize(1));
        old.close();
        assertThat(lines.about("no longer has")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            assertThat(line.getFormattedMessage()).endsWith("the subscription was removed");
        });
        assertThat(lines.about("a second time")).isEmpty();
    }

    @Test
    void a_node_that_changes_the_filter_warns_of_both_sides_and_of_the_nodes_that_stand_by() {
        start(old, new Letters());
        awaitLanes();
        deploy();
        assertThat(lines.about("changes its filter")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .isEqualTo("Subscription '" + SUBSCRIPTION + "' changes its filter from 'letter.*' to 'letter.*"
                            + " parcel.*', with which this node starts: lanes pass events under it from here on. New:"
                            + " 'parcel.*'; what the old filter skipped stays skipped, and a replay delivers it. Skips"
                            + " that no lane had settled yet are looked at again: some earlier events may be"
                            + " delivered");
        });
        assertThat(lines.about("has another filter on")).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains("stand by and deliver nothing", "a name of its own");
        });
    }

    private static List<Event> noise() {
        return IntStream.range(0, 200)
                .mapToObj(number -> Event.of("noise", number).key("key " + number))
                .toList();
    }

    private void awaitLanes() {
        Eventually.holds(() -> assertThat(lines.about("takes 16 lanes")).hasSize(1));
    }

    private void deploy() {
        start(next, new Letters(), "parcel.*");
    }

    private Postrider<MemoryTransaction> node(Duration lease) {
        return Postrider.on(
                store,
                PostriderConfig.defaults()
                        .limits(NodeLimits.builder()
                                .pollMin(Duration.ofMillis(2))
                                .pollMax(Duration.ofMillis(20))
                                .subscriptions(s -> s.settleQuietEvery(Duration.ofSeconds(2)))
                                .lease(lease)
                                .build()));
    }

    private static void start(Postrider<MemoryTransaction> node, Handler<String> handler, String... more) {
        SubscriptionBuilder<MemoryTransaction> builder =
                node.subscribe(SUBSCRIPTION).on("letter.*", String.class, handler);
        for (String pattern : more) {
            builder.on(pattern, String.class, new Letters());
        }
        builder.start();
    }

    private static void append(Postrider<MemoryTransaction> node, List<Event> events) {
        try {
            node.transaction(transaction -> node.outbox().append(transaction, events));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
