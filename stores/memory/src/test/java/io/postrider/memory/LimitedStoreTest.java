package io.postrider.memory;

import io.postrider.store.Store.Limitation;
import io.postrider.tck.ConsumeSuite;
import io.postrider.tck.IdempotencySuite;
import io.postrider.tck.InboxSuite;
import io.postrider.tck.LimitationSuite;
import io.postrider.tck.ProcessedSuite;
import io.postrider.tck.QueueEffectSuite;
import io.postrider.tck.ReceiveSuite;
import io.postrider.tck.SettleWithEffectSuite;
import io.postrider.tck.SettleWithinSuite;
import io.postrider.tck.StoreFixture;
import org.junit.jupiter.api.Nested;

/** What a store declares that it cannot do is refused, with a sentence, and before anything has begun. */
final class LimitedStoreTest {

    private static StoreFixture<MemoryTransaction> withoutSavepoints() {
        return new LimitedFixture(Limitation.NO_SAVEPOINTS);
    }

    private static StoreFixture<MemoryTransaction> withoutTransactions() {
        return new LimitedFixture(Limitation.NO_TRANSACTIONS, Limitation.NO_SAVEPOINTS);
    }

    @Nested
    class LimitationWithoutSavepoints extends LimitationSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutSavepoints();
        }
    }

    @Nested
    class IdempotencyWithoutSavepoints extends IdempotencySuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutSavepoints();
        }
    }

    @Nested
    class SettleWithEffectWithoutSavepoints extends SettleWithEffectSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutSavepoints();
        }
    }

    @Nested
    class SettleWithinWithoutSavepoints extends SettleWithinSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutSavepoints();
        }
    }

    @Nested
    class LimitationWithoutTransactions extends LimitationSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class IdempotencyWithoutTransactions extends IdempotencySuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class SettleWithEffectWithoutTransactions extends SettleWithEffectSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class SettleWithinWithoutTransactions extends SettleWithinSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class QueueEffectWithoutTransactions extends QueueEffectSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class ConsumeWithoutTransactions extends ConsumeSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class InboxWithoutTransactions extends InboxSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class ProcessedWithoutTransactions extends ProcessedSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }

    @Nested
    class ReceiveWithoutTransactions extends ReceiveSuite<MemoryTransaction> {
        @Override
        protected StoreFixture<MemoryTransaction> fixture() {
            return withoutTransactions();
        }
    }
}
