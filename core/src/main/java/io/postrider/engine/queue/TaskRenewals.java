package io.postrider.engine.queue;

import io.postrider.Environment;
import io.postrider.engine.base.Lease;
import io.postrider.engine.base.Leases;
import io.postrider.engine.base.Stumbles;
import io.postrider.engine.dispatch.NodeParts;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.policy.Queue;
import io.postrider.store.StoreException;
import io.postrider.store.Tasks;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * The leases of a queue's tasks on this node, renewed from their claim until they are settled: a task that has ended
 * and waits for its settle would run a second time elsewhere. On threads of their own, so that no renewal waits behind
 * a claim or a settle that waits for a connection. Thread-safe.
 */
final class TaskRenewals {
    private static final Logger LOG = Logs.of(TaskRenewals.class);

    /** Tasks of a live owner whose leases ran out are left to it for so many leases more. */
    private static final int PATIENCE = 5;

    private final Tasks tasks;
    private final Environment environment;
    private final String subscription;
    private final String filter;
    private final Duration lease;
    private final NodeParts shared;
    private final Consumer<Tasks.HeldTask> lost;
    private final Stumbles stumbles;
    /** Of each task until when it may begin here, on this node's own monotonic clock, as {@link Lease} has it. */
    private final Map<Tasks.HeldTask, Long> held = new ConcurrentHashMap<>();

    private final AtomicBoolean beats = new AtomicBoolean();
    private volatile Environment.Timer timer = () -> {};
    private volatile long renewedNanos;

    /** @param lost is told of each task that another node has by now */
    TaskRenewals(
            Tasks tasks,
            Environment environment,
            SubscriptionSpec spec,
            Queue queue,
            NodeParts shared,
            Consumer<Tasks.HeldTask> lost) {
        this.tasks = tasks;
        this.environment = environment;
        this.subscription = spec.name();
        this.filter = spec.fingerprint();
        this.lease = queue.lease();
        this.shared = shared;
        this.lost = lost;
        this.stumbles = new Stumbles(LOG, environment);
    }

    /** A task has been claimed, by a call that was sent then. */
    void hold(Tasks.HeldTask task, long sentNanos) {
        held.put(task, sentNanos + lease.toNanos());
        begin();
    }

    /** Whether its handler may begin: not once its lease is over, because another node may have run it since. */
    boolean mayBegin(Tasks.HeldTask task) {
        Long deadline = held.get(task);
        return deadline != null && environment.nanos() - deadline < 0;
    }

    /** A task is settled, or another node's. */
    void drop(Tasks.HeldTask task) {
        held.remove(task);
    }

    /** For a call that leaves alone what is held here, and what other nodes that are alive may still renew. */
    Tasks.Preparer preparer() {
        return new Tasks.Preparer(shared.node(), new HashSet<>(held.keySet()), lease.multipliedBy(PATIENCE), filter);
    }

    void stop() {
        held.clear();
        timer.cancel();
    }

    private void begin() {
        if (!held.isEmpty() && beats.compareAndSet(false, true)) {
            renewedNanos = environment.nanos();
            next();
        }
    }

    private void next() {
        timer = environment.scheduleRenewal(Leases.pause(lease), this::beat);
    }

    private void beat() {
        try {
            renew();
        } catch (StoreException e) {
            shared.trouble().failing(e);
        } catch (Throwable e) {
            stumbles.tell("Renewing the tasks of '" + subscription + "' failed unexpectedly; it is tried again", e);
        }
        if (held.isEmpty()) {
            beats.set(false);
            begin();
        } else {
            next();
        }
    }

    private void renew() {
        Set<Tasks.HeldTask> asked = new HashSet<>(held.keySet());
        if (asked.isEmpty()) {
            return;
        }
        long sent = environment.nanos();
        Set<Tasks.HeldTask> kept = tasks.renew(subscription, asked, lease);
        Duration age = Duration.ofNanos(environment.nanos() - renewedNanos);
        shared.late().renewed("the tasks of '" + subscription + "'", age, lease);
        renewedNanos = sent;
        kept.forEach(task -> held.computeIfPresent(task, (same, deadline) -> sent + lease.toNanos()));
        asked.stream()
                .filter(task -> !kept.contains(task) && held.remove(task) != null)
                .forEach(lost);
    }
}
