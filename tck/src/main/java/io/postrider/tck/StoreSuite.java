package io.postrider.tck;

import org.junit.jupiter.api.Nested;

/**
 * The suites about the ports of one store, without an engine. Beside it stand {@link EngineSuite} and
 * {@link OperatorSuite}: a store conforms that passes all three. Test classes of a store extend them and say how to get
 * a fixture:
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
public abstract class StoreSuite<T> {

    /** A new fixture, for one test. */
    protected abstract StoreFixture<T> fixture();

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
    class Horizon extends HorizonSuite<T> {
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
    class Tasks extends TasksSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return StoreSuite.this.fixture();
        }
    }
}
