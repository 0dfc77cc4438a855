package io.postrider.tck;

import org.junit.jupiter.api.Nested;

/**
 * The suites about what operators see and decide, on one store; beside {@link StoreSuite} and {@link EngineSuite}.
 *
 * @param <T> the store's transaction handle
 */
public abstract class OperatorSuite<T> {

    /** A new fixture, for one test. */
    protected abstract StoreFixture<T> fixture();

    @Nested
    class Browse extends BrowseSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Search extends SearchSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Story extends StorySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Operate extends OperateSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Audit extends AuditSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Pause extends PauseSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Replay extends ReplaySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Redelivery extends RedeliverySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Records extends RecordsSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Chunk extends ChunkSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Operation extends OperationSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Reprocess extends ReprocessSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Retention extends RetentionSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class DeadEvents extends DeadEventsSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Foresee extends ForeseeSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Filter extends FilterSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Deploy extends DeploySuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }

    @Nested
    class Removing extends RemovalSuite<T> {
        @Override
        protected StoreFixture<T> fixture() {
            return OperatorSuite.this.fixture();
        }
    }
}
