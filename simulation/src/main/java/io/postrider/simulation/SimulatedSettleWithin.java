package io.postrider.simulation;

import io.postrider.memory.MemoryTransaction;
import io.postrider.store.SettleWithin;
import io.postrider.store.Settlement;

/** Settlements of one process that commit with the effects of its handlers: one call, which travels to the store. */
final class SimulatedSettleWithin implements SettleWithin<MemoryTransaction> {
    private final World world;
    private final String name;
    private final SimulatedTransact transact;
    private final SimulatedTransact.Way way;

    SimulatedSettleWithin(World world, String name, SimulatedTransact transact, SimulatedTransact.Way way) {
        this.world = world;
        this.name = name;
        this.transact = transact;
        this.way = way;
    }

    @Override
    public void mark(MemoryTransaction transaction) throws Exception {
        world.memory().settleWithin().mark(transaction);
    }

    @Override
    public void undo(MemoryTransaction transaction) throws Exception {
        world.memory().settleWithin().undo(transaction);
    }

    @Override
    public boolean settle(MemoryTransaction transaction, Settlement settlement) {
        Object written = way.travel(() -> "settle within " + settlement, () -> carryOut(transaction, settlement));
        return Boolean.TRUE.equals(written);
    }

    private Object carryOut(MemoryTransaction transaction, Settlement settlement) {
        boolean written;
        try {
            written = world.memory().settleWithin().settle(transaction, settlement);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        if (written) {
            world.memory().flush();
            transact.settled(transaction);
            world.oracle().epochs().settled(name, settlement.ownership());
        }
        return written;
    }
}
