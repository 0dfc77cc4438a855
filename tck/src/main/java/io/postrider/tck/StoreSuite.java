package io.postrider.tck;

import org.junit.jupiter.api.Nested;

/**
 * All suites for one store. A store's test class extends it and says how to get a fixture:
 *
 * <pre>{@code
 * class MemoryStoreTest extends StoreSuite<MemoryTransaction> {
 *     protected StoreFixture<MemoryTransaction> fixture() {
 *         return new MemoryFixture();
 *     }
 * }
 * }</pre>
 *
 * @param <T> the store's transaction handle
 */
public abstract class StoreSuite<T> extends OperatorSuite<T> {

    @Nested
    class Append extends AppendSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Cursor extends CursorSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Subscription extends SubscriptionSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Claim extends ClaimSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Park extends ParkSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Settle extends SettleSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class SettleWithin extends SettleWithinSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Processed extends ProcessedSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Receive extends ReceiveSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Inbox extends InboxSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Consume extends ConsumeSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Idempotency extends IdempotencySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class SettleWithEffect extends SettleWithEffectSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Renew extends RenewSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Watch extends WatchSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Prune extends PruneSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Sharing extends SharingSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Start extends StartSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Delivery extends DeliverySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Order extends OrderSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Retry extends RetrySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Outage extends OutageSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Refusal extends RefusalSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Errors extends ErrorSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Guard extends GuardSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Dead extends DeadSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Schedule extends ScheduleSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Observation extends ObservationSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Tasks extends TasksSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class QueueEffect extends QueueEffectSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Queue extends QueueSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Limit extends LimitSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Takeover extends TakeoverSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }

    @Nested
    class Seed extends SeedSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }
}
