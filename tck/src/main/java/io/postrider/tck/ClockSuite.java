package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Environment;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes whose wall clocks are wrong, by hours: what is due is due by the store's clock, whoever has written the time
 * and whoever compares it.
 *
 * @param <T> the store's transaction handle
 */
public abstract class ClockSuite<T> extends EngineCase<T> {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final RetryPolicy HOURLY = RetryPolicy.DEFAULT.pauses(HOUR, HOUR);

    /** A node whose clock is ahead by so many hours, or behind. */
    private Postrider<T> node(int hours) {
        return node(PostriderConfig.defaults().limits(attentive().build()).environment(new Skewed(hours)));
    }

    private static <T> SubscriptionBuilder<T> letters(Postrider<T> node, Letters letters, boolean queue) {
        SubscriptionBuilder<T> builder = letters(node, letters);
        return queue ? builder.queue(Queue.DEFAULT) : builder;
    }

    // ---- replays ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_replay_is_due_at_once_where_the_clock_is_behind(boolean queue) {
        Postrider<T> node = node(-1);
        letters(node, new Letters().fail("a", 2), queue)
                .retry(QUICK.attempts(2))
                .start();
        send(node, "ann", "a");
        store.operate().replay(SUBSCRIPTION, awaitDead().position(), BY);
        assertAllDelivered(1);
    }

    @Test
    void an_operation_with_a_canary_ends_where_the_clock_is_behind() {
        Postrider<T> node = node(-1);
        letters(node, new Letters().fail("a", 1).fail("b", 1).fail("c", 1))
                .retry(QUICK.attempts(1))
                .start();
        send(node, "ann", "a", "b", "c");
        eventually().holds(() -> assertThat(rows(Delivery.Status.DEAD)).hasSize(3));
        Operation started = store.operations()
                .start(
                        Operation.Kind.REPLAY,
                        Operation.Target.dead(SUBSCRIPTION),
                        Operation.Pace.UNLIMITED.canary(1, 0),
                        BY)
                .orElseThrow();
        assertAllDelivered(3);
        eventually()
                .holds(() -> assertThat(store.operations().find(started.id()))
                        .hasValueSatisfying(
                                operation -> assertThat(operation.state()).isEqualTo(Operation.State.FINISHED)));
    }

    // ---- retries ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {-2, 2})
    void a_retry_waits_as_long_as_its_policy_says(int hours) {
        Postrider<T> node = node(hours);
        letters(node, new Letters().failAlways("a")).retry(HOURLY).start();
        send(node, "ann", "a");
        assertWaitsAnHour();
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, 2})
    void a_retry_of_a_task_waits_as_long_as_its_policy_says(int hours) {
        Postrider<T> node = node(hours);
        letters(node, new Letters().failAlways("a"), true).retry(HOURLY).start();
        send(node, "ann", "a");
        assertWaitsAnHour();
    }

    /** With half of its pause to spare, for policies that shorten it by chance. */
    private void assertWaitsAnHour() {
        eventually()
                .holds(() -> assertThat(rows(Delivery.Status.WAITING))
                        .singleElement()
                        .satisfies(row -> {
                            assertThat(row.attempt()).isEqualTo(1);
                            assertThat(row.dueAt())
                                    .isBetween(
                                            Instant.now().plus(HOUR.dividedBy(4)),
                                            Instant.now()
                                                    .plus(HOUR.multipliedBy(5).dividedBy(4)));
                        }));
    }

    @Test
    void what_a_node_whose_clock_is_ahead_has_parked_is_due_in_time_for_the_next() {
        Postrider<T> ahead = node(1);
        letters(ahead, new Letters().failAlways("a")).start();
        send(ahead, "ann", "a");
        eventually().holds(() -> assertThat(rows(Delivery.Status.WAITING)).hasSize(1));
        ahead.close();
        Postrider<T> next = node();
        letters(next, new Letters()).start();
        assertAllDelivered(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_time_that_a_destination_names_is_one_of_its_process(boolean queue) {
        Skewed environment = new Skewed(1);
        Postrider<T> node =
                node(PostriderConfig.defaults().limits(attentive().build()).environment(environment));
        Destination busy = new Busy(environment);
        SubscriptionBuilder<T> builder =
                node.subscribe(SUBSCRIPTION).to("letter.*", busy).retry(HOURLY);
        (queue ? builder.queue(Queue.DEFAULT) : builder).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }

    // ---- schedules --------------------------------------------------------------------------------------------------

    @Test
    void an_event_that_is_wanted_later_waits_where_the_clock_is_ahead() {
        Postrider<T> node = node(2);
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, List.of(letter("ann", "later").deliverAt(Instant.now().plus(HOUR)), letter("bob", "now")));
        assertLedger(new Counts(1, 0, 1, 0, 0, 0), 0);
        assertThat(letters.delivered()).containsExactly("now");
    }

    @Test
    void an_event_expires_by_the_clock_of_the_store() {
        Postrider<T> node = node(1);
        Letters letters = new Letters();
        letters(node, letters).start();
        send(
                node,
                List.of(
                        letter("ann", "in time").expiresAt(Instant.now().plusSeconds(600)),
                        letter("bob", "too late").expiresAt(Instant.now().minusSeconds(600))));
        assertLedger(new Counts(1, 0, 0, 0, 1, 0), 0);
        assertThat(letters.delivered()).containsExactly("in time");
    }

    // ---- what is wrong ----------------------------------------------------------------------------------------------

    /** Wants to be asked again in a moment, by the clock of its process. */
    private record Busy(Environment environment) implements Destination {
        @Override
        public Profile profile() {
            return Profile.handlers(1);
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            Instant soon = environment.now().plusMillis(10);
            return CompletableFuture.completedStage(dispatches.stream()
                    .map(each -> each.attempt() == 1 ? new Outcome.Retry(soon, "busy") : Outcome.DELIVERED)
                    .toList());
        }
    }

    /** The machine's, but for its wall clock. */
    private static final class Skewed implements Environment {
        private final SystemEnvironment system = new SystemEnvironment();
        private final Duration by;

        Skewed(int hours) {
            this.by = Duration.ofHours(hours);
        }

        @Override
        public Instant now() {
            return system.now().plus(by);
        }

        @Override
        public long nanos() {
            return system.nanos();
        }

        @Override
        public RandomGenerator random() {
            return system.random();
        }

        @Override
        public Executor engine() {
            return system.engine();
        }

        @Override
        public Executor handlers() {
            return system.handlers();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return system.schedule(delay, task);
        }

        @Override
        public Timer scheduleRenewal(Duration delay, Runnable task) {
            return system.scheduleRenewal(delay, task);
        }

        @Override
        public void close() {
            system.close();
        }
    }
}
