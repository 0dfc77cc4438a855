package io.postrider.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.TransactionOutbox;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Claim;
import io.postrider.store.Watch;
import io.postrider.tck.StorePorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A commit that the application sees, in virtual time: counted in looks and reads. */
class TransactionOutboxTest {
    /** By now the node looks as seldom as it may. */
    private static final Duration IDLE = Duration.ofMinutes(10);

    private static final Duration POLL_MAX = Duration.ofMinutes(1);
    /** Longer than threads wait for a processor here, and far shorter than a look takes to come. */
    private static final Duration AT_ONCE = Duration.ofMillis(20);

    private final Scheduler scheduler = new Scheduler(new SplittableRandom(1));
    private final SimulatedEnvironment process = new SimulatedEnvironment(scheduler, new SplittableRandom(2));
    private final MemoryStore memory =
            MemoryStore.create(() -> SimulatedEnvironment.EPOCH.plusNanos(scheduler.nanos()));
    private final List<Duration> handled = new ArrayList<>();
    private @Nullable Postrider<MemoryTransaction> node;
    private int looks;
    private int reads;

    /** What happened within a time after the application did something. */
    private record Seen(int looks, int reads, int handled) {}

    @Test
    void a_commit_that_is_told_is_delivered_at_once_and_without_a_look() {
        Seen seen = within(AT_ONCE, (outbox, transaction) -> {
            append(outbox, transaction);
            transaction.commit();
            outbox.committed();
        });
        assertThat(seen).isEqualTo(new Seen(0, 1, 1));
    }

    @Test
    void one_that_is_not_told_waits_for_the_next_look() {
        Seen seen = within(AT_ONCE, (outbox, transaction) -> {
            append(outbox, transaction);
            transaction.commit();
        });
        assertThat(seen).isEqualTo(new Seen(0, 0, 0));
    }

    @Test
    void one_that_is_not_told_is_delivered_all_the_same() {
        Seen seen = within(POLL_MAX.plusSeconds(1), (outbox, transaction) -> {
            append(outbox, transaction);
            transaction.commit();
        });
        assertThat(seen.handled()).isEqualTo(1);
        assertThat(seen.looks()).isPositive();
    }

    @Test
    void to_tell_it_twice_costs_nothing_more() {
        Seen seen = within(AT_ONCE, (outbox, transaction) -> {
            append(outbox, transaction);
            transaction.commit();
            outbox.committed();
            outbox.committed();
        });
        assertThat(seen).isEqualTo(new Seen(0, 1, 1));
    }

    @Test
    void one_that_is_told_too_early_costs_a_read_and_is_delivered_by_the_next_look() {
        Seen seen = within(POLL_MAX.plusSeconds(1), (outbox, transaction) -> {
            append(outbox, transaction);
            outbox.committed();
            scheduler.in(AT_ONCE, Scheduler.Owner.WORLD, transaction::commit);
        });
        assertThat(seen.handled()).isEqualTo(1);
        assertThat(seen.reads()).isEqualTo(2);
    }

    @Test
    void one_that_was_rolled_back_costs_a_read_and_nothing_else() {
        Seen seen = within(AT_ONCE, (outbox, transaction) -> {
            append(outbox, transaction);
            transaction.rollback();
            outbox.committed();
        });
        assertThat(seen).isEqualTo(new Seen(0, 1, 0));
    }

    @Test
    void in_a_transaction_of_the_nodes_own_nothing_has_to_be_told() {
        Seen seen = within(AT_ONCE, (outbox, transaction) -> {
            try {
                node().transaction(own -> append(outbox, own));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        assertThat(seen).isEqualTo(new Seen(0, 1, 1));
    }

    private static Object append(TransactionOutbox<MemoryTransaction> outbox, MemoryTransaction transaction) {
        return outbox.append(transaction, Event.of("letter.sent", "a").key("ann"));
    }

    /** Does something once the node has been idle for long, and counts what follows. */
    private Seen within(Duration time, BiConsumer<TransactionOutbox<MemoryTransaction>, MemoryTransaction> act) {
        List<Seen> counted = new ArrayList<>();
        scheduler.at(0, process, this::start);
        scheduler.at(IDLE.toNanos(), process, () -> {
            counted.add(counts());
            act.accept(node().transactionOutbox(), memory.begin());
        });
        scheduler.at(IDLE.plus(time).toNanos(), Scheduler.Owner.WORLD, () -> {
            counted.add(counts());
            scheduler.end(null);
        });
        scheduler.run();
        Seen before = counted.get(0);
        Seen after = counted.get(1);
        return new Seen(
                after.looks() - before.looks(), after.reads() - before.reads(), after.handled() - before.handled());
    }

    private Seen counts() {
        return new Seen(looks, reads, handled.size());
    }

    private void start() {
        NodeLimits limits = NodeLimits.builder()
                .pollMin(Duration.ofSeconds(1))
                .pollMax(POLL_MAX)
                .subscriptions(s -> s.rereadEvery(Duration.ofHours(1)).settleQuietEvery(Duration.ofHours(1)))
                .lease(Duration.ofHours(1))
                .build();
        Postrider<MemoryTransaction> started = Postrider.on(
                StorePorts.of(memory, (method, call) -> {
                    looks += StorePorts.is(method, Watch.class, "watch") ? 1 : 0;
                    reads += StorePorts.is(method, Claim.class, "read") ? 1 : 0;
                    return call.now();
                }),
                PostriderConfig.defaults().limits(limits).environment(process));
        node = started;
        started.subscribe("letters")
                .on("letter.*", String.class, (text, context) -> handled.add(Duration.ofNanos(scheduler.nanos())))
                .start();
    }

    private Postrider<MemoryTransaction> node() {
        return Objects.requireNonNull(node, "not started");
    }
}
