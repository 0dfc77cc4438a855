package io.postrider.engine;

import io.postrider.Counts;
import io.postrider.Lane;
import io.postrider.Observation;
import io.postrider.Outcome;
import io.postrider.Queue;
import io.postrider.spi.Claim;
import io.postrider.spi.Delivery;
import io.postrider.spi.Destination;
import io.postrider.spi.Environment;
import io.postrider.spi.StoreException;
import io.postrider.spi.Tasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks of a queue on this node: claim → dispatch → settle, row by row, each under a lease of its own that is
 * renewed while it runs. Lanes only feed the queue, so a task outlives their moves.
 *
 * <p>Everything but the handlers runs on {@link #serial}; the package-private methods come from outside.
 */
final class QueueRun {
    private static final Logger LOG = LoggerFactory.getLogger(QueueRun.class);

    /** A lease is renewed this often while it lasts. */
    private static final int RENEWALS_PER_LEASE = 3;

    private final Tasks tasks;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final Queue queue;
    private final Node.Shared shared;
    private final SubscriptionRun.Trouble trouble;
    private final SubscriptionRun owner;
    private final Serial serial;
    private final Rate rate;
    private final Calls outside;
    private final Alone alone;
    private final Map<Tasks.Held, RunningTask> running = new LinkedHashMap<>();
    private final List<Tasks.Ended> ended = new ArrayList<>();
    /** What is told of those, once they are settled. */
    private final Map<Tasks.Held, Verdicts> told = new HashMap<>();

    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private Environment.Timer polling = () -> {};
    private Environment.Timer beating = () -> {};
    private Duration pause;
    private boolean taking;
    private boolean stopping;
    private boolean beats;
    private volatile boolean fedUp;
    private final ReadyTasks ready;

    QueueRun(
            Tasks tasks,
            Environment environment,
            SubscriptionSpec spec,
            Node.Shared shared,
            SubscriptionRun.Trouble trouble,
            SubscriptionRun owner) {
        this.tasks = tasks;
        this.environment = environment;
        this.spec = spec;
        this.queue = Objects.requireNonNull(spec.queue());
        this.shared = shared;
        this.trouble = trouble;
        this.owner = owner;
        this.serial = new Serial(environment.engine());
        this.rate = new Rate(environment, queue.perSecond());
        this.ready = new ReadyTasks(tasks, environment, spec.name(), queue.most());
        this.alone = new Alone(environment, queue.lease());
        this.outside = new Calls(environment, shared.observers(), shared.circuits());
        this.pause = spec.limits().pollMin();
    }

    // ---- claim ------------------------------------------------------------------------------------------------------

    private void poll() {
        if (!taking || stopping || owner.paused() || !owner.reachable()) {
            return;
        }
        int free = rate.allowed(spec.limits().concurrency() - running.size());
        if (free <= 0 || running.values().stream().anyMatch(RunningTask::isSuspect)) {
            pollIn(rate.pause().isZero() ? spec.limits().pollMax() : rate.pause());
            return;
        }
        try {
            Tasks.Swept swept = tasks.sweep(spec.name());
            tellExpired(swept);
            int claimed = alone.claims(swept.suspects(), running.isEmpty()) ? claimSuspect() : claim(free);
            pause = claimed > 0 ? spec.limits().pollMin() : longer();
            if (claimed == free) {
                serial.execute(this::poll);
            } else {
                pollIn(pause);
            }
        } catch (StoreException e) {
            trouble.failing(e);
            pollIn(spec.limits().pollMax());
        } catch (RuntimeException e) {
            LOG.error("The queue of '{}' stumbled; it goes on with its next look", spec.name(), e);
            pollIn(spec.limits().pollMax());
        }
    }

    /** Alone: whatever ends this process ends nothing else with it. */
    private int claimSuspect() {
        return running.isEmpty() ? claim(Tasks.Types.SUSPECTS, 1) : 0;
    }

    /** Types with a limit of their own are claimed by themselves, so that no more come than may run. */
    private int claim(int free) {
        int claimed = 0;
        for (Map.Entry<String, Integer> limited : queue.byType().entrySet()) {
            int most = Math.min(free - claimed, limited.getValue() - running(limited.getKey()));
            if (most > 0) {
                claimed += claim(new Tasks.Types(true, Set.of(limited.getKey())), most);
            }
        }
        if (free > claimed) {
            Set<String> limited = queue.byType().keySet();
            claimed += claim(new Tasks.Types(false, limited), free - claimed);
        }
        return claimed;
    }

    private int claim(Tasks.Types types, int most) {
        long sent = environment.nanos();
        Tasks.Claimant claimant =
                new Tasks.Claimant(shared.node(), spec.name(), queue.lease(), queue.expiresSoon(), types);
        List<Claim.ClaimedDelivery> claimed = tasks.claim(claimant, most);
        rate.began(claimed.size());
        claimed.forEach(task -> begin(task, sent));
        return claimed.size();
    }

    private int running(String type) {
        return (int) running.values().stream()
                .filter(each -> each.task.event().type().equals(type))
                .count();
    }

    private void tellExpired(Tasks.Swept swept) {
        for (Delivery row : swept.expired()) {
            Counts change = new Counts(0, 0, -1, 0, 1, 0);
            shared.observers()
                    .observe(new Observation.Settled(
                            spec.name(), Lane.of(row.key(), row.id()), change, List.of(row), Map.of()));
        }
    }

    private Duration longer() {
        Duration next = pause.multipliedBy(5).dividedBy(4);
        return next.compareTo(spec.limits().pollMax()) < 0
                ? next
                : spec.limits().pollMax();
    }

    private void pollIn(Duration delay) {
        polling.cancel();
        polling = environment.schedule(delay, () -> serial.execute(this::poll));
    }

    // ---- dispatch ---------------------------------------------------------------------------------------------------

    private void begin(Claim.ClaimedDelivery task, long sentNanos) {
        Delivery row = task.delivery();
        int attempts = spec.retryFor(row.type()).attempts();
        if (row.attempt() > attempts) {
            finish(task, Outcome.dead("its process ended, or lost it, in each of " + attempts + " attempts"));
            return;
        }
        var destination = spec.route(task.event());
        if (destination.isEmpty()) {
            finish(task, Outcome.SKIPPED);
            return;
        }
        if (environment.nanos() - sentNanos >= queue.lease().toNanos()) {
            return; // the claim took so long that it may be another's by now; if not, its lease runs out
        }
        if (owner.paused()) {
            finish(task, Outcome.down("paused")); // since the claim was asked for: it goes back as it was
            return;
        }
        RunningTask one = new RunningTask(task, destination.get(), environment.nanos());
        running.put(RunningTask.held(task), one);
        environment.handlers().execute(() -> run(one));
        beat();
    }

    private void run(RunningTask one) {
        Delivery row = one.task.delivery();
        if (!one.enter()) {
            return;
        }
        CompletableFuture<List<Outcome>> answer;
        try {
            Destination.Dispatch dispatch = new Destination.Dispatch(spec.name(), one.task.event(), row.attempt());
            Calls.Call call = outside.of(one.destination, List.of(dispatch));
            one.makes(call);
            answer = call.dispatch();
        } finally {
            one.leave();
        }
        answer.thenAccept(outcomes -> serial.execute(() -> ended(one, outcomes.get(0))));
    }

    private void ended(RunningTask one, Outcome outcome) {
        if (one.end() && running.remove(one.held()) != null) {
            finish(one.task, outcome);
        }
    }

    private void finish(Claim.ClaimedDelivery task, Outcome outcome) {
        Verdicts verdicts = new Verdicts(spec, environment);
        verdicts.finished(task.delivery().cleared(), task.event().headers(), outcome);
        told.put(RunningTask.held(task), verdicts);
        List<Delivery> left = verdicts.changed();
        ended.add(new Tasks.Ended(RunningTask.held(task), verdicts.counts(), left.isEmpty() ? null : left.get(0)));
        serial.execute(this::settle);
    }

    // ---- settle -----------------------------------------------------------------------------------------------------

    /** All that has ended since the last time, by one statement. */
    private void settle() {
        if (!ended.isEmpty()) {
            try {
                Set<Tasks.Held> settled = tasks.settle(spec.name(), ended);
                tellLost(ended.size() - settled.size());
                tellSettled(settled);
                ended.clear();
            } catch (StoreException e) {
                trouble.failing(e);
                environment.schedule(spec.limits().pollMax(), () -> serial.execute(this::settle));
                return;
            }
            if (fedUp) {
                fedUp = false;
                owner.wakeAll();
            }
            poll();
        }
        completeIfQuiet();
    }

    private void tellSettled(Set<Tasks.Held> settled) {
        told.forEach((held, verdicts) -> {
            if (settled.contains(held)) {
                owner.failures().settled(verdicts);
                shared.observers().observe(verdicts.told(held.lane()));
            }
        });
        told.clear();
    }

    private void tellLost(int lost) {
        if (lost > 0) {
            LOG.warn("{} tasks of '{}' were another node's before they settled: they run twice", lost, spec.name());
        }
    }

    // ---- renew ------------------------------------------------------------------------------------------------------

    /** The heartbeat: renews what runs, gives up what was lost or takes too long. */
    private void beat() {
        if (!beats && !running.isEmpty()) {
            beats = true;
            Duration untilRenewal = queue.lease().dividedBy(RENEWALS_PER_LEASE);
            Duration untilTooLong = queue.timeout().dividedBy(RENEWALS_PER_LEASE);
            Duration next = untilRenewal.compareTo(untilTooLong) < 0 ? untilRenewal : untilTooLong;
            beating = environment.schedule(next, () -> serial.execute(this::onBeat));
        }
    }

    private void onBeat() {
        beats = false;
        giveUpWhatTakesTooLong();
        try {
            Set<Tasks.Held> kept = tasks.renew(spec.name(), new HashSet<>(running.keySet()), queue.lease());
            new HashMap<>(running).forEach((held, one) -> {
                if (!kept.contains(held)) {
                    LOG.warn("A task of '{}' at {} is another node's by now", spec.name(), held.position());
                    running.remove(held);
                    one.giveUp(Outcome.retry("it is another node's by now"));
                }
            });
        } catch (StoreException e) {
            trouble.failing(e);
        }
        completeIfQuiet();
        beat();
    }

    private void giveUpWhatTakesTooLong() {
        long now = environment.nanos();
        new HashMap<>(running).forEach((held, one) -> {
            if (now - one.startedNanos >= queue.timeout().toNanos()) {
                giveUp(
                        one,
                        Outcome.retry("no answer within its timeout, "
                                + queue.timeout().toMillis() + " ms"));
            }
        });
    }

    private void giveUp(RunningTask one, Outcome outcome) {
        running.remove(one.held());
        one.giveUp(outcome);
        finish(one.task, outcome);
    }

    // ---- from outside -----------------------------------------------------------------------------------------------

    /** The log has had so many new tasks. */
    void fed(int number) {
        ready.fed(number);
        serial.execute(this::poll);
    }

    /** A destination that was down takes events again. */
    void goOn() {
        serial.execute(this::poll);
    }

    /** Whether this node takes tasks: not while it stands by. */
    void take(boolean take) {
        serial.execute(() -> {
            boolean begins = take && !taking;
            taking = take;
            if (begins) {
                poll();
            }
        });
    }

    /** Whether the log may be read further. Asked by lanes, on their threads. */
    boolean hasRoom() {
        boolean room = ready.hasRoom();
        fedUp |= !room;
        return room;
    }

    /** Claims nothing more; completed when what runs has ended and is settled. */
    CompletableFuture<Void> stop() {
        serial.execute(() -> {
            stopping = true;
            polling.cancel();
            completeIfQuiet();
        });
        return stopped;
    }

    /** Hands back what still runs. */
    void stopNow() {
        serial.execute(() -> {
            Outcome stopped = Outcome.retry("the node that ran it was stopped");
            List.copyOf(running.values()).forEach(one -> giveUp(one, stopped));
        });
    }

    private void completeIfQuiet() {
        if (stopping && running.isEmpty() && ended.isEmpty()) {
            beating.cancel();
            stopped.complete(null);
        }
    }
}
