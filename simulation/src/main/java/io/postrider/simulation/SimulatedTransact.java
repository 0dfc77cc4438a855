package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.Transact;
import io.postrider.memory.MemoryTransaction;
import io.postrider.store.ConflictException;
import io.postrider.store.Processed;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of one process, for handlers that have effects in the store: they work on the process's own threads,
 * and what they record and the commit travel to the store. What a process leaves open when it is killed is rolled back.
 */
final class SimulatedTransact implements Transact<MemoryTransaction>, Processed<MemoryTransaction> {
    /** How soon a transaction that waits for another looks again. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final World world;
    private final SimulatedEnvironment process;
    private final Way way;
    private final Set<MemoryTransaction> settled = new HashSet<>();

    /** The way to the store and back, on which a call or its answer may be lost. */
    interface Way {
        @Nullable
        Object travel(Supplier<String> call, Supplier<@Nullable Object> effect);
    }

    SimulatedTransact(World world, SimulatedEnvironment process, Way way) {
        this.world = world;
        this.process = process;
        this.way = way;
    }

    @Override
    public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
        process.requireAlive();
        try (MemoryTransaction transaction = world.memory().begin()) {
            R result = work.run(transaction);
            if (settled.remove(transaction)) {
                return result;
            }
            way.travel(() -> "commit", () -> {
                transaction.commit();
                world.memory().flush();
                return "committed";
            });
            return result;
        }
    }

    /** A settlement has committed this transaction. */
    void settled(MemoryTransaction transaction) {
        settled.add(transaction);
    }

    @Override
    public boolean first(MemoryTransaction transaction, EventId event, String handler) {
        return Boolean.TRUE.equals(
                untilItIsFree("first " + event, () -> world.records().first(transaction, event, handler)));
    }

    @Override
    public Recorded record(MemoryTransaction transaction, EventId event, String subscription) {
        Object answer =
                untilItIsFree("record " + event, () -> world.records().record(transaction, event, subscription));
        return answer instanceof Recorded recorded ? recorded : Recorded.REPEATED;
    }

    /** Waits on this side of the store: in there, all others would wait too. */
    private @Nullable Object untilItIsFree(String call, Supplier<@Nullable Object> asking) {
        long began = process.nanos();
        Object answer = way.travel(() -> call, asking);
        while (answer == Records.TAKEN) {
            if (process.nanos() - began >= WAIT.toNanos()) {
                throw new ConflictException("another transaction that is still open has recorded the same");
            }
            world.scheduler().sleep(LOOK_AGAIN, process);
            answer = way.travel(() -> call, asking);
        }
        return answer;
    }

    @Override
    public boolean forget(Duration age) {
        return world.memory().processed().forget(age);
    }
}
