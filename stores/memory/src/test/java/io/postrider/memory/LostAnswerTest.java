package io.postrider.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Claim;
import io.postrider.store.Renew;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.tck.StorePorts;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * A renewal that found the lease over, and whose answer was lost, has made a new lease: the next renewal is told that
 * the lease was kept, although the lanes have gone to others in between.
 */
final class LostAnswerTest {
    private static final Duration LEASE = Duration.ofMillis(300);
    private static final List<String> SUBSCRIPTIONS = List.of("one", "other");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration STAYS = Duration.ofMillis(100);

    private final MemoryStore store = MemoryStore.create();
    private final Link link = new Link();
    private final Map<String, List<String>> silent = new ConcurrentHashMap<>();
    private final Map<String, List<String>> other = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> handling = new ConcurrentHashMap<>();

    @Test
    void a_node_starts_nothing_in_lanes_that_it_lost_without_being_told() throws Exception {
        try (Postrider<MemoryTransaction> node = node(link.to(store));
                Postrider<MemoryTransaction> second = node(store)) {
            try {
                takeOver(node, second);
                link.state = State.ANSWER_LOST;
                assertThat(link.claiming.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                handling.values().forEach(CountDownLatch::countDown);
                assertNeverStarted("second");
            } finally {
                link.claim.countDown();
                handling.values().forEach(CountDownLatch::countDown);
            }
        }
    }

    /** Its handlers still hold the first letter when the second node has delivered both. */
    private void takeOver(Postrider<MemoryTransaction> node, Postrider<MemoryTransaction> second) throws Exception {
        subscribe(node, silent, true);
        node.transaction(transaction -> node.outbox().append(transaction, letters()));
        until(() -> started(silent, "first") == SUBSCRIPTIONS.size());
        link.state = State.DOWN;
        subscribe(second, other, false);
        until(() -> started(other, "second") == SUBSCRIPTIONS.size());
    }

    private static List<Event> letters() {
        return List.of(
                Event.of("letter", Payload.json("\"first\"")).key("ann"),
                Event.of("letter", Payload.json("\"second\"")).key("ann"));
    }

    private static Postrider<MemoryTransaction> node(Store<MemoryTransaction> store) {
        NodeLimits limits = NodeLimits.builder()
                .lease(LEASE)
                .backoffMax(Duration.ofMillis(20))
                .subscriptions(s -> s.settleAfter(PATIENCE))
                .build();
        return Postrider.on(store, PostriderConfig.defaults().limits(limits));
    }

    private void subscribe(Postrider<MemoryTransaction> node, Map<String, List<String>> seen, boolean holds) {
        for (String subscription : SUBSCRIPTIONS) {
            seen.put(subscription, new CopyOnWriteArrayList<>());
            CountDownLatch held = new CountDownLatch(holds ? 1 : 0);
            if (holds) {
                handling.put(subscription, held);
            }
            node.subscribe(subscription)
                    .on("letter", String.class, (text, context) -> {
                        seen.get(subscription).add(text);
                        held.await();
                    })
                    .start();
        }
    }

    private static long started(Map<String, List<String>> seen, String text) {
        return seen.values().stream().filter(texts -> texts.contains(text)).count();
    }

    /** One of the two is being claimed anew; the handler of the other has just come back. */
    private void assertNeverStarted(String text) throws InterruptedException {
        long end = System.nanoTime() + STAYS.toNanos();
        while (System.nanoTime() < end) {
            assertThat(started(silent, text)).isZero();
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static void until(BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private enum State {
        UP,
        /** Renewals do not arrive. */
        DOWN,
        /** The next renewal arrives, its answer does not. */
        ANSWER_LOST
    }

    /** Between a node and its store. Once an answer was lost, claims of lanes wait. */
    private static final class Link {
        private final CountDownLatch claiming = new CountDownLatch(1);
        private final CountDownLatch claim = new CountDownLatch(1);
        private volatile State state = State.UP;
        private volatile boolean lost;

        Store<MemoryTransaction> to(MemoryStore store) {
            return StorePorts.of(store, this::travel);
        }

        private Object travel(Method method, StorePorts.Call call) throws Throwable {
            boolean renews = StorePorts.is(method, Renew.class, "renew");
            if (renews && state == State.DOWN) {
                throw new StoreException("the store does not answer");
            }
            if (lost && StorePorts.is(method, Claim.class, "claim") && call.arguments()[0] instanceof Claim.Claimant) {
                claiming.countDown();
                claim.await();
            }
            Object answer = call.now();
            if (renews && state == State.ANSWER_LOST) {
                lost = true;
                state = State.UP;
                throw new StoreException("the answer was lost");
            }
            return answer;
        }
    }
}
