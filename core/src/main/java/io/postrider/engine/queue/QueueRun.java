package io.postrider.engine.queue;

import io.postrider.Environment;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Leases;
import io.postrider.engine.base.MissingThreads;
import io.postrider.engine.base.Pace;
import io.postrider.engine.base.Pauses;
import io.postrider.engine.base.Rate;
import io.postrider.engine.base.Serial;
import io.postrider.engine.base.Stumbles;
import io.postrider.engine.dispatch.Calls;
import io.postrider.engine.dispatch.NodeParts;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.engine.lane.LaneOwner;
import io.postrider.operate.Delivery;
import io.postrider.policy.Queue;
import io.postrider.store.Claim;
import io.postrider.store.RefusedException;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Tasks;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;

/**
 * The tasks of a queue on this node: claim → dispatch → settle, row by row, each under a lease of its own that is
 * renewed while it runs. Lanes only feed the queue, so a task outlives their moves.
 *
 * <p>Everything but the handlers runs on {@link #serial}; the package-private methods come from outside.
 */
public final class QueueRun {
    private static final Logger LOG = Logs.of(QueueRun.class);

    /** How long a task waits when no thread can be made for it. */
    private static final Duration NO_THREAD_PAUSE = Duration.ofMillis(100);

    private final Store<?> store;
    private final Tasks tasks;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final Queue queue;
    private final TypeRoom room;
    private final NodeParts shared;
    private final LaneOwner owner;
    private final Serial serial;
    private final Stumbles stumbles;
    private final Pauses pauses;
    private final Rate rate;
    private final Calls outside;
    private final SuspectTurns suspectTurns;
    private final MissingThreads threads;
    private final Map<Tasks.HeldTask, RunningTask> running = new LinkedHashMap<>();
    private final TaskSettlements ended;
    private final TaskRenewals leases;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private Environment.Timer polling = () -> {};
    private Environment.Timer settling = () -> {};
    private Environment.Timer beating = () -> {};
    private final Pace pace;
    private boolean taking;
    private boolean stopping;
    private boolean beats;
    private volatile boolean lanesAwaitRoom;
    private final ReadyTasks ready;

    public QueueRun(Store<?> store, Environment environment, SubscriptionSpec spec, LaneOwner owner) {
        this.store = store;
        this.tasks = store.tasks();
        this.environment = environment;
        this.spec = spec;
        this.queue = Objects.requireNonNull(spec.queue());
        this.shared = owner.shared();
        this.owner = owner;
        this.room = new TypeRoom(queue);
        this.serial = new Serial(environment, this::failed);
        this.stumbles = new Stumbles(LOG, environment);
        this.pauses = new Pauses(shared.limits().pollMax(), shared.limits().backoffMax());
        this.ended = new TaskSettlements(tasks, environment, spec, shared.observers(), owner.failures());
        this.leases =
                new TaskRenewals(tasks, environment, spec, queue, shared, task -> serial.execute(() -> lost(task)));
        this.rate = new Rate(environment, queue.perSecond());
        this.ready = new ReadyTasks(tasks, environment, spec.name(), queue.most());
        this.suspectTurns = new SuspectTurns(environment, queue.lease());
        this.threads = new MissingThreads("tasks of '" + spec.name() + "'");
        this.outside = new Calls(shared.time(), shared.observers(), shared.circuits());
        this.pace = new Pace(shared.limits());
    }

    // ---- claim ------------------------------------------------------------------------------------------------------

    private void poll() {
        if (!taking || stopping || owner.paused() || !owner.reachable()) {
            return;
        }
        int free = rate.allowed(spec.limits().concurrency() - running.size());
        if (free <= 0 || running.values().stream().anyMatch(RunningTask::isSuspect)) {
            pollIn(rate.pause().isZero() ? shared.limits().pollMax() : rate.pause());
            return;
        }
        try {
            boolean suspects = prepare();
            int claimed = suspectTurns.come(suspects, running.isEmpty()) ? claimSuspect() : claim(free);
            if (ended.isEmpty()) {
                pauses.reset(); // while settles fail, the pauses go on growing
            }
            Duration pause = pace.after(claimed > 0);
            if (claimed == free) {
                serial.execute(this::poll);
            } else {
                pollIn(pause);
            }
        } catch (StoreException e) {
            owner.failing(e);
            pollIn(shared.limits().pollMax());
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Whatever it is, an {@link Error} too: what runs is still settled, and the queue goes on. */
    private void failed(Throwable unexpected) {
        stumbles.tell("The queue of '" + spec.name() + "' failed unexpectedly; it goes on", unexpected);
        Duration next = pauses.next();
        pollIn(next);
        settleIn(next);
        beat();
    }

    /** Whether there are suspects. A call that is refused holds up what was due, and not what is ready. */
    private boolean prepare() {
        try {
            Tasks.Prepared prepared = tasks.prepare(spec.name(), leases.preparer());
            ended.tellExpired(prepared, store.lanes());
            return prepared.suspects();
        } catch (RefusedException e) {
            LOG.error("The store refuses to make tasks of '{}' ready; those that are ready run", spec.name(), e);
            return false;
        }
    }

    /** Alone: whatever ends this process ends nothing else with it. */
    private int claimSuspect() {
        return running.isEmpty() ? claim(Tasks.Types.SUSPECTS, 1) : 0;
    }

    /** Types with a limit of their own are claimed by themselves, so that no more come than may run. */
    private int claim(int free) {
        return room.claim(free, running.values(), this::claim);
    }

    private int claim(Tasks.Types types, int most) {
        long sent = environment.nanos();
        Tasks.Claimant claimant = new Tasks.Claimant(
                shared.node(), spec.name(), queue.lease(), queue.expiresSoon(), types, spec.fingerprint());
        List<Claim.ClaimedDelivery> claimed = tasks.claim(claimant, most);
        rate.began(claimed.size());
        claimed.forEach(task -> leases.hold(RunningTask.held(task), sent));
        claimed.forEach(this::beginOrFail);
        return claimed.size();
    }

    private void pollIn(Duration delay) {
        polling.cancel();
        polling = environment.schedule(delay, () -> serial.execute(this::poll));
    }

    // ---- dispatch ---------------------------------------------------------------------------------------------------

    private void beginOrFail(Claim.ClaimedDelivery task) {
        try {
            begin(task);
        } catch (Throwable e) {
            running.remove(RunningTask.held(task));
            finish(task, Outcome.retry(e));
        }
    }

    private void begin(Claim.ClaimedDelivery task) {
        Delivery row = task.delivery();
        if (task.defect() != null) {
            LOG.error("A task of '{}' at {} is dead: {}", spec.name(), row.position(), task.defect());
            finish(task, Outcome.dead(task.defect()));
            return;
        }
        int attempts = spec.retryFor(row.type()).attempts();
        if (row.attempt() > attempts) {
            finish(task, Verdicts.usedUp(row, attempts));
            return;
        }
        var destination = spec.route(task.event());
        if (destination.isEmpty()) {
            finish(task, Outcome.SKIPPED);
            return;
        }
        if (owner.paused()) {
            putBack(task); // paused since the claim was asked for
            return;
        }
        RunningTask one = new RunningTask(task, destination.get(), environment.nanos());
        running.put(RunningTask.held(task), one);
        try {
            environment.handlers().execute(() -> run(one));
        } catch (Throwable e) {
            threads.missing(e);
            running.remove(RunningTask.held(task));
            finish(task, Outcome.postponed(environment.now().plus(NO_THREAD_PAUSE), "there was no thread for it"));
        }
        beat();
    }

    private void run(RunningTask one) {
        Delivery row = one.task().delivery();
        if (!leases.mayBegin(one.held())) { // it goes back as it was, or is another's by now
            serial.execute(() -> goesBack(one));
            return;
        }
        if (!one.call().enter(environment.nanos())) {
            return;
        }
        threads.found();
        CompletableFuture<List<Outcome>> answer;
        try {
            Destination.Dispatch dispatch =
                    new Destination.Dispatch(spec.name(), one.task().event(), row.attempt());
            Calls.Call call = outside.of(one.destination(), List.of(dispatch));
            one.call().makes(call);
            answer = call.dispatch();
        } catch (Throwable e) {
            answer = CompletableFuture.completedFuture(List.of(Outcome.retry(e)));
        } finally {
            one.call().leave();
        }
        answer.thenAccept(outcomes -> serial.execute(() -> ended(one, outcomes.get(0))));
    }

    private void ended(RunningTask one, Outcome outcome) {
        if (one.call().end() && running.remove(one.held()) != null) {
            finish(one.task(), outcome);
        }
    }

    private void goesBack(RunningTask one) {
        if (one.call().end() && running.remove(one.held()) != null) {
            putBack(one.task());
        }
    }

    private void putBack(Claim.ClaimedDelivery task) {
        ended.putBack(task);
        serial.execute(this::settle);
    }

    private void finish(Claim.ClaimedDelivery task, Outcome outcome) {
        ended.add(task, outcome);
        serial.execute(this::settle);
    }

    // ---- settle -----------------------------------------------------------------------------------------------------

    /** All that has ended since the last time, by one statement. */
    private void settle() {
        if (!ended.isEmpty()) {
            try {
                ended.settle(leases::drop);
            } catch (StoreException e) {
                owner.failing(e);
                settleIn(shared.limits().pollMax());
                return;
            }
            if (lanesAwaitRoom) {
                lanesAwaitRoom = false;
                owner.wakeAll();
            }
            poll();
        }
        completeIfQuiet();
    }

    private void settleIn(Duration delay) {
        settling.cancel();
        settling = environment.schedule(delay, () -> serial.execute(this::settle));
    }

    // ---- renew ------------------------------------------------------------------------------------------------------

    /** The heartbeat of what runs here: gives up what takes too long. */
    private void beat() {
        if (!beats && !running.isEmpty()) {
            beats = true;
            Duration untilTooLong = Leases.pause(queue.timeout());
            Duration untilLate = Leases.pause(queue.lease());
            Duration next = untilLate.compareTo(untilTooLong) < 0 ? untilLate : untilTooLong;
            beating = environment.schedule(next, () -> serial.execute(this::onBeat));
        }
    }

    private void onBeat() {
        beats = false;
        try {
            giveUpWhatTakesTooLong();
        } finally {
            completeIfQuiet();
            beat();
        }
    }

    /** A task that is not renewed is another's, unless it has been settled meanwhile. */
    private void lost(Tasks.HeldTask held) {
        RunningTask one = running.remove(held);
        if (one != null) {
            LOG.warn("A task of '{}' at {} is another node's by now", spec.name(), held.position());
            one.call().giveUp(Outcome.retry("it is another node's by now"));
            one.call().tellGivenUp();
        }
        completeIfQuiet();
    }

    private void giveUpWhatTakesTooLong() {
        long now = environment.nanos();
        String why = "no answer within its timeout, " + queue.timeout().toMillis() + " ms";
        List.copyOf(running.values()).stream()
                .filter(one -> now - one.startedNanos() >= queue.timeout().toNanos())
                .forEach(one -> giveUp(one, one.late(why)));
    }

    private void giveUp(RunningTask one, Outcome outcome) {
        running.remove(one.held());
        one.call().giveUp(outcome);
        finish(one.task(), outcome);
        one.call().tellGivenUp();
    }

    // ---- from outside -----------------------------------------------------------------------------------------------

    /** The log has had so many new tasks. */
    public void fed(int number) {
        ready.fed(number);
        serial.execute(this::poll);
    }

    /** A destination that was down takes events again. */
    public void goOn() {
        serial.execute(this::poll);
    }

    /** Whether this node takes tasks: not while it stands by. */
    public void take(boolean take) {
        serial.execute(() -> {
            boolean begins = take && !taking;
            taking = take;
            if (begins) {
                poll();
            }
        });
    }

    /** Whether the log may be read further. Asked by lanes, on their threads. */
    public boolean hasRoom() {
        boolean room = ready.hasRoom();
        lanesAwaitRoom |= !room;
        return room;
    }

    /** Claims nothing more; completed when what runs has ended and is settled. */
    public CompletableFuture<Void> stop() {
        serial.execute(() -> {
            stopping = true;
            polling.cancel();
            completeIfQuiet();
        });
        return stopped;
    }

    /** Hands back what still runs. */
    public void stopNow() {
        Outcome stop = Outcome.retry("the node that ran it was stopped");
        serial.execute(() -> List.copyOf(running.values()).forEach(one -> giveUp(one, stop)));
    }

    private void completeIfQuiet() {
        if (stopping && running.isEmpty() && ended.isEmpty()) {
            settling.cancel();
            beating.cancel();
            leases.stop();
            stopped.complete(null);
        }
    }
}
