package io.postrider.tck.destination;

import io.postrider.store.Store;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * All suites for one destination. A destination's test class extends it and says how to get a fixture:
 *
 * <pre>{@code
 * class PigeonDestinationTest extends DestinationSuite {
 *     protected DestinationFixture fixture(Path folder) {
 *         return new PigeonFixture(folder);
 *     }
 *
 *     protected Store<?> store() {
 *         return MemoryStore.create();
 *     }
 * }
 * }</pre>
 *
 * <p>The tests share one server, which some of them stop, and run one after the other.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class DestinationSuite {
    /** The type of most events here. */
    public static final String TYPE = "letter.sent";
    /** The type of some. */
    public static final String OTHER_TYPE = "letter.returned";

    private @Nullable DestinationFixture running;

    /** The destination and its server, which may keep its files in this folder. Called once. */
    protected abstract DestinationFixture fixture(Path folder);

    /** A new, empty store for the tests that go through the engine. */
    protected abstract Store<?> store();

    @BeforeAll
    final void openFixture(@TempDir Path folder) {
        running = fixture(folder);
    }

    @AfterAll
    final void closeFixture() {
        if (running != null) {
            running.close();
        }
    }

    private DestinationFixture running() {
        return Objects.requireNonNull(running, "the fixture comes first");
    }

    @Nested
    class Content extends ContentSuite {
        @Override
        protected DestinationFixture fixture() {
            return running();
        }
    }

    @Nested
    class Dispatch extends DispatchSuite {
        @Override
        protected DestinationFixture fixture() {
            return running();
        }
    }

    @Nested
    class Down extends DownSuite {
        @Override
        protected DestinationFixture fixture() {
            return running();
        }
    }

    @Nested
    class Engine extends EngineSuite {
        @Override
        protected DestinationFixture fixture() {
            return running();
        }

        @Override
        protected Store<?> store() {
            return DestinationSuite.this.store();
        }
    }
}
