package io.postrider.engine.operation;

import io.postrider.Environment;
import io.postrider.engine.base.Leases;
import io.postrider.engine.base.Serial;
import io.postrider.engine.base.Stumbles;
import io.postrider.engine.base.Trouble;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Chunks;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;

/**
 * The operations that this node carries out, each a chunk at a time, in turn. A renewal that saw one nobody holds calls
 * {@link #look}; without operations nothing here ever happens.
 *
 * <p>Everything runs on {@link #serial}; the package-private methods come from outside.
 */
public final class OperationRuns {
    private static final Logger LOG = Logs.of(OperationRuns.class);
    /** So many at once: one whose canary is watched must not hold up the others. */
    private static final int MOST = 8;

    private final Store<?> store;
    private final Environment environment;
    private final String node;
    private final Duration lease;
    private final Duration pause;
    private final Trouble trouble;
    private final ToIntFunction<String> parkedMax;
    private final Stumbles stumbles;
    private final Serial serial;
    private final Map<Long, OperationRun> runs = new LinkedHashMap<>();
    private boolean stopping;

    /** @param parkedMax of a subscription, as this node knows it */
    public OperationRuns(
            Store<?> store,
            Environment environment,
            String node,
            NodeLimits limits,
            ToIntFunction<String> parkedMax,
            Trouble trouble) {
        this.store = store;
        this.environment = environment;
        this.node = node;
        this.lease = limits.lease();
        Duration third = Leases.pause(lease);
        this.pause = limits.pollMax().compareTo(third) < 0 ? limits.pollMax() : third;
        this.parkedMax = parkedMax;
        this.trouble = trouble;
        this.stumbles = new Stumbles(LOG, environment);
        this.serial = new Serial(environment, this::failed);
    }

    /** There may be operations that nobody holds. */
    public void look() {
        serial.execute(() -> {
            if (!stopping && runs.size() < MOST) {
                guarded(() -> store.chunks()
                        .take(node, new TreeSet<>(runs.keySet()), lease, MOST - runs.size())
                        .forEach(this::begin));
            }
        });
    }

    private void begin(Chunks.HeldOperation held) {
        LOG.info(
                "Operation {} is carried out by this node: {} in subscription '{}'",
                held.id(),
                held.operation().kind(),
                held.operation().target().subscription());
        int parked = parkedMax.applyAsInt(held.operation().target().subscription());
        OperationRun run =
                new OperationRun(store.chunks(), environment, held, new OperationRun.Times(lease, pause), parked);
        runs.put(held.id(), run);
        serial.execute(() -> step(run));
    }

    private void step(OperationRun run) {
        if (runs.get(run.held().id()) != run) {
            return;
        }
        boolean took = guarded(() -> {
            Duration next = run.step();
            if (next == null) {
                runs.remove(run.held().id());
            } else if (next.isZero()) {
                serial.execute(() -> step(run));
            } else {
                environment.schedule(next, () -> serial.execute(() -> step(run)));
            }
        });
        if (!took) {
            // What came of the chunk is unknown; whoever takes the operation next goes on from what is stored.
            runs.remove(run.held().id(), run);
        }
    }

    private boolean guarded(Runnable work) {
        try {
            work.run();
            return true;
        } catch (StoreException e) {
            trouble.failing(e);
        } catch (Throwable e) {
            failed(e);
        }
        return false;
    }

    private void failed(Throwable failure) {
        stumbles.tell(
                "An operation failed unexpectedly; a renewal takes it again, and it goes on where it was", failure);
    }

    /** Lets others go on with what this node carries out. */
    public void handBack() {
        serial.execute(this::release);
    }

    private void release() {
        if (!runs.isEmpty()) {
            List<Chunks.HeldOperation> held =
                    runs.values().stream().map(OperationRun::held).toList();
            runs.clear();
            guarded(() -> store.chunks().release(held));
        }
    }

    /** Hands everything back, takes nothing more, and then runs this. */
    public void stop(Runnable then) {
        serial.execute(() -> {
            stopping = true;
            release();
            then.run();
        });
    }
}
