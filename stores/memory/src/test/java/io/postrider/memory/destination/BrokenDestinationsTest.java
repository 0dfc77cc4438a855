package io.postrider.memory.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The suite is held to account too: it finds what is wrong with broken destinations, and no test of it is vacuous. */
class BrokenDestinationsTest {
    /** Tests get lost as easily as they get vacuous. */
    private static final int TESTS_AT_LEAST = 32;

    /** Long enough for what works, as each of them waits for something that never comes. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static Supplier<DestinationFixture> fixtures = NothingFixture::new;

    @ParameterizedTest
    @EnumSource
    void what_is_broken_is_found(Breakage breakage) {
        fixtures = () -> new FakeFixture(limitations(breakage), breakage::open, PATIENCE);
        Events tests = run(selectNestedMethod(
                List.of(BrokenSuite.class.getName()),
                DestinationSuite.class.getName() + "$" + breakage.suite,
                breakage.test));
        assertThat(tests.started().count()).isEqualTo(1);
        assertThat(tests.failed().stream().map(BrokenDestinationsTest::failure))
                .singleElement()
                .asString()
                .contains(breakage.finding);
    }

    /** One that repeats everything is not found out by a server that forgives it. */
    private static Set<DestinationFixture.Limitation> limitations(Breakage breakage) {
        return breakage == Breakage.SENDS_TWICE ? Set.of(DestinationFixture.Limitation.DOES_NOT_DEDUPLICATE) : Set.of();
    }

    @Test
    void every_test_fails_against_a_destination_that_does_nothing() {
        fixtures = NothingFixture::new;
        Events tests = run(selectClass(BrokenSuite.class));
        List<String> content = tests.finished().stream()
                .filter(event -> !finishedWithFailure().matches(event))
                .map(BrokenDestinationsTest::name)
                .toList();
        assertThat(content)
                .as("tests that a destination passes by doing nothing")
                .isEmpty();
        assertThat(tests.failed().count()).isGreaterThanOrEqualTo(TESTS_AT_LEAST);
        assertThat(tests.skipped().count() + tests.aborted().count()).isZero();
    }

    private static Events run(DiscoverySelector selector) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selector)
                .execute()
                .testEvents();
    }

    private static String failure(Event failed) {
        return failed.getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .map(Throwable::toString)
                .orElse("nothing");
    }

    private static String name(Event event) {
        return event.getTestDescriptor().getUniqueId().toString();
    }

    static final class BrokenSuite extends DestinationSuite {
        @Override
        protected DestinationFixture fixture(Path folder) {
            return fixtures.get();
        }

        @Override
        protected Store<?> store() {
            return MemoryStore.create();
        }
    }
}
