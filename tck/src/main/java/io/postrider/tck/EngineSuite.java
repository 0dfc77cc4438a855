package io.postrider.tck;

import org.junit.jupiter.api.Nested;

/**
 * The suites about nodes that deliver, receive and stop, on one store; beside {@link StoreSuite} and
 * {@link OperatorSuite}.
 *
 * @param <T> the store's transaction handle
 */
public abstract class EngineSuite<T> {

    /** A new fixture, for one test. */
    protected abstract StoreFixture<T> fixture();

    @Nested
    class Lanes extends LanesSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Late extends LateSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Wake extends WakeSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Skip extends SkipSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Asked extends WhySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Inbox extends InboxSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Consume extends ConsumeSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Idempotency extends IdempotencySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Transact extends TransactSuite<T> {
        @Override
        protected TransactFixture<T> fixture() {
            return StoreTransact.own(EngineSuite.this.fixture());
        }
    }

    @Nested
    class SettleWithEffect extends SettleWithEffectSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class SettleBatchWithEffect extends SettleBatchWithEffectSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Start extends StartSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Delivery extends DeliverySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Order extends OrderSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Retry extends RetrySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Outage extends OutageSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Refusal extends RefusalSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Errors extends ErrorSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Guard extends GuardSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Dead extends DeadSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Clock extends ClockSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Schedule extends ScheduleSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Observation extends ObservationSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class QueueEffect extends QueueEffectSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Queue extends QueueSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class CrowdedLane extends CrowdedLaneSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Window extends WindowSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Limit extends LimitSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Limitations extends LimitationSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Takeover extends TakeoverSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }

    @Nested
    class Seed extends SeedSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return EngineSuite.this.fixture();
        }
    }
}
