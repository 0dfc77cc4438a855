package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.policy.Queue;
import io.postrider.policy.Reprocess;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is thrown, an {@link Error} too, ends nothing for good: a call of the store is made again, an event whose
 * handler throws is tried again and buried by the policy, and what had no thread waits for one.
 *
 * @param <T> the store's transaction handle
 */
public abstract class ErrorSuite<T> extends EngineCase<T> {
    private static final String QUEUE = "queue";
    private static final String EFFECTS = "effects";
    private static final String RECORDS = "records";
    /** So often in a row. */
    private static final int TIMES = 3;

    /** An error of the store in a handler's own transaction is a failed attempt. */
    private static final RetryPolicy MORE_THAN_THROWN = QUICK.attempts(2 * TIMES);

    private final AtomicInteger thrown = new AtomicInteger();

    /** One batch is all that the node may hold: what were not given back would be missing at once. */
    private static PostriderConfig tight() {
        return PostriderConfig.defaults()
                .limits(quick().subscriptions(s -> s.batchEvents(10).effectEvents(10))
                        .inFlightEvents(10)
                        .lease(Duration.ofMillis(1_500))
                        .pruneEvery(Duration.ofMillis(100))
                        .build());
    }

    // ---- the store --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(
            strings = {
                "renew.renew",
                "claim.claim",
                "claim.read",
                "park.window",
                "park.follow",
                "settle.settle",
                "watch.watch",
                "watch.now",
                "prune.prune",
                "transact.transact",
                "tasks.prepare",
                "tasks.claim",
                "tasks.settle",
                "tasks.ready",
                "processed.record",
                "processed.forget",
                "receive.forget",
                "settleWithin.mark",
                "settleWithin.settle",
                "retain.sweep",
                "foresee.tasks",
                "chunks.take",
                "chunks.move",
                "chunks.watch",
                "chunks.reprocess"
            })
    void an_error_in_a_call_of_the_store_is_survived(String call) {
        Postrider<T> node = Postrider.on(throwing(call), tight());
        closeAtEnd(node);
        Letters letters = new Letters().fail("n3", 1).failAlways("n5");
        start(node, letters);
        List<Event> events = IntStream.rangeClosed(1, 40)
                .mapToObj(number -> letter("key-" + number % 7, "n" + number))
                .toList();
        send(node(quick()), events);
        for (String subscription : List.of(SUBSCRIPTION, QUEUE, EFFECTS, RECORDS)) {
            assertSettled(subscription, 39, 1);
        }
        letters.heal();
        replay();
        assertSettled(SUBSCRIPTION, 40, 0);
        eventually().holds(() -> assertThat(thrown).hasPositiveValue());
        send(node(quick()), "ann", "afterwards");
        for (String subscription : List.of(QUEUE, EFFECTS, RECORDS)) {
            assertSettled(subscription, 40, 1);
        }
        assertSettled(SUBSCRIPTION, 41, 0);
    }

    private void start(Postrider<T> node, Letters letters) {
        letters(node, letters)
                .retry(MORE_THAN_THROWN)
                .retention(Retention.DEFAULT.dead(Duration.ofDays(1)))
                .reprocess(Reprocess.every(Duration.ofHours(1)))
                .start();
        subscribe(node, QUEUE)
                .on("letter.*", String.class, failing("n5"))
                .queue(Queue.DEFAULT)
                .start();
        subscribe(node, EFFECTS)
                .onTransaction("letter.*", String.class, (transaction, text, context) -> {
                    fixture.effect(transaction, text);
                    failing("n5").handle(text, context);
                })
                .settleWithEffect()
                .start();
        subscribe(node, RECORDS)
                .onTransaction(
                        "letter.*",
                        String.class,
                        (transaction, text, context) -> failing("n5").handle(text, context))
                .start();
    }

    private static <T> SubscriptionBuilder<T> subscribe(Postrider<T> node, String name) {
        return node.subscribe(name).retry(MORE_THAN_THROWN);
    }

    private static Letters failing(String text) {
        return new Letters().failAlways(text);
    }

    private void replay() {
        store.operations()
                .start(Operation.Kind.REPLAY, Operation.Target.dead(SUBSCRIPTION), Operation.Pace.UNLIMITED, BY);
    }

    private void assertSettled(String subscription, long delivered, long dead) {
        eventually().holds(() -> {
            assertThat(store.browse().ledger(subscription).counts().delivered())
                    .as(subscription)
                    .isEqualTo(delivered);
            assertThat(store.browse().ledger(subscription).counts().dead())
                    .as(subscription)
                    .isEqualTo(dead);
            assertThat(store.browse().ledger(subscription).pending())
                    .as(subscription)
                    .isZero();
        });
    }

    /** The store, one of whose calls throws a few times. */
    private Store<T> throwing(String call) {
        return calling((method, made) -> {
            String port = method.getDeclaringClass().getSimpleName();
            String name = port.substring(0, 1).toLowerCase(Locale.ROOT) + port.substring(1) + "." + method.getName();
            if (name.equals(call) && thrown.getAndIncrement() < TIMES) {
                throw new OutOfMemoryError("simulated");
            }
            return made.now();
        });
    }

    // ---- handlers ---------------------------------------------------------------------------------------------------

    /** The kinds of handlers there are, and what each may throw. */
    enum Kind {
        HANDLER,
        BATCH,
        TRANSACTION,
        EFFECT,
        TASK
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void an_error_of_a_handler_is_the_failure_of_its_event(Kind kind) {
        List<Error> errors = List.of(
                new StackOverflowError("simulated"),
                new AssertionError("simulated"),
                new NoClassDefFoundError("simulated"),
                new ExceptionInInitializerError("simulated"),
                new OutOfMemoryError("simulated"));
        Postrider<T> node = Postrider.on(fixture.another(), tight());
        closeAtEnd(node);
        handling(node, kind, text -> {
                    if (text.equals("bad")) {
                        throw errors.get(Math.min(thrown.getAndIncrement(), errors.size() - 1));
                    }
                })
                .retry(QUICK.attempts(errors.size()))
                .start();
        send(node, List.of(letter("ann", "bad"), letter("ann", "good"), letter("bob", "good")));
        Delivery dead = awaitDead();
        assertThat(dead.attempt()).isEqualTo(errors.size());
        assertThat(dead.error()).contains("OutOfMemoryError");
        assertSettled(SUBSCRIPTION, 2, 1);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void an_exception_whose_own_methods_fail_is_the_failure_of_its_event(Kind kind) {
        List<RuntimeException> untellable = List.of(new WithoutStack(), new Speechless(), new WithoutStack());
        Postrider<T> node = Postrider.on(fixture.another(), tight());
        closeAtEnd(node);
        handling(node, kind, text -> {
                    if (text.equals("bad")) {
                        throw untellable.get(Math.min(thrown.getAndIncrement(), untellable.size() - 1));
                    }
                })
                .retry(QUICK.attempts(untellable.size()))
                .start();
        send(node, List.of(letter("ann", "bad"), letter("ann", "good"), letter("bob", "good")));
        Delivery dead = awaitDead();
        assertThat(dead.attempt()).isEqualTo(untellable.size());
        assertThat(dead.error()).contains("WithoutStack", "its own methods fail");
        assertSettled(SUBSCRIPTION, 2, 1);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void an_exception_whose_words_are_bound_to_its_thread_is_the_failure_of_its_event_alone(Kind kind) {
        Postrider<T> node = Postrider.on(fixture.another(), tight());
        closeAtEnd(node);
        Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
        handling(node, kind, text -> {
                    calls.computeIfAbsent(text, first -> new AtomicInteger()).incrementAndGet();
                    if (text.equals("bad")) {
                        REQUEST.set("r1");
                        throw new BoundToItsThread();
                    }
                })
                .retry(QUICK.attempts(TIMES))
                .start();
        List<Event> events = new ArrayList<>(List.of(letter("ann", "bad"), letter("ann", "good")));
        IntStream.range(0, 40).forEach(number -> events.add(letter("key-" + number, "n" + number)));
        send(node, events);
        Delivery dead = awaitDead();
        assertThat(dead.attempt()).isEqualTo(TIMES);
        assertSettled(SUBSCRIPTION, 41, 1);
        assertThat(calls.get("bad")).hasValue(TIMES);
    }

    private static final ThreadLocal<String> REQUEST = new ThreadLocal<>();

    /** As an exception whose text is made when it is asked for, from what is bound to a request. */
    private static final class BoundToItsThread extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            String request = REQUEST.get();
            if (request == null) {
                throw new IllegalStateException("no request is bound to this thread");
            }
            return "refused for " + request;
        }
    }

    /** As a mock of an exception answers. */
    private static final class WithoutStack extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings("NullAway")
        public StackTraceElement[] getStackTrace() {
            return null;
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void an_interrupt_that_a_handler_leaves_behind_hits_no_other_event(Kind kind) {
        Postrider<T> node = Postrider.on(fixture.another(), tight());
        closeAtEnd(node);
        handling(node, kind, text -> {
                    if (Thread.interrupted()) {
                        throw new IllegalStateException("interrupted by another event");
                    }
                    Thread.currentThread().interrupt();
                })
                .retry(QUICK.attempts(1))
                .start();
        for (int number = 0; number < 40; number++) {
            send(node, "key-" + number, "n" + number);
        }
        assertSettled(SUBSCRIPTION, 40, 0);
    }

    private interface Work {
        void on(String text);
    }

    private SubscriptionBuilder<T> handling(Postrider<T> node, Kind kind, Work work) {
        SubscriptionBuilder<T> builder = node.subscribe(SUBSCRIPTION);
        return switch (kind) {
            case HANDLER -> builder.on("letter.*", String.class, (text, context) -> work.on(text));
            case BATCH ->
                builder.onBatch("letter.*", String.class, 1, events -> events.forEach(one -> work.on(one.payload())));
            case TRANSACTION ->
                builder.onTransaction("letter.*", String.class, (transaction, text, context) -> work.on(text));
            case EFFECT ->
                builder.onTransaction("letter.*", String.class, (transaction, text, context) -> work.on(text))
                        .settleWithEffect();
            case TASK ->
                builder.on("letter.*", String.class, (text, context) -> work.on(text))
                        .queue(Queue.DEFAULT);
        };
    }

    // ---- threads ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Kind.class)
    void what_finds_no_thread_waits_for_one(Kind kind) {
        Postrider<T> node = Postrider.on(fixture.another(), tight().environment(new FewThreads(thrown)));
        closeAtEnd(node);
        handling(node, kind, text -> {}).start();
        for (int i = 0; i < 20; i++) {
            send(node, "key-" + i, "n" + i);
        }
        assertSettled(SUBSCRIPTION, 20, 0);
        assertThat(thrown).hasValueGreaterThan(TIMES);
    }

    // ---- observers --------------------------------------------------------------------------------------------------

    @Test
    void an_error_of_an_observer_costs_nobody_anything() {
        Postrider<T> node = Postrider.on(fixture.another(), tight().observer(observation -> {
            throw new AssertionError("simulated");
        }));
        closeAtEnd(node);
        handling(node, Kind.HANDLER, text -> {}).start();
        send(node, "ann", "a", "b");
        assertSettled(SUBSCRIPTION, 2, 0);
    }
}
