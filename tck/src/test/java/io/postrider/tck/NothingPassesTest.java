package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The suite is held to account too: a store that does nothing fails every test, so no test is vacuous. */
class NothingPassesTest {
    /** Tests get lost as easily as they get vacuous. */
    private static final int TESTS_AT_LEAST = 170;

    @Test
    void every_test_of_every_suite_fails_against_a_store_that_does_nothing() {
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter")
                .selectors(
                        selectClass(NothingStoreSuite.class),
                        selectClass(NothingEngineSuite.class),
                        selectClass(NothingOperatorSuite.class))
                .execute();
        Events tests = results.testEvents();
        List<String> content = tests.finished().stream()
                .filter(event -> !finishedWithFailure().matches(event))
                .map(NothingPassesTest::name)
                .toList();
        assertThat(content).as("tests that a store passes by doing nothing").isEmpty();
        assertThat(tests.failed().count()).isGreaterThanOrEqualTo(TESTS_AT_LEAST);
        assertThat(tests.skipped().count() + tests.aborted().count()).isZero();
    }

    private static String name(Event event) {
        return event.getTestDescriptor().getUniqueId().toString();
    }

    static final class NothingStoreSuite extends StoreSuite<NothingStore.Transaction> {
        @Override
        protected StoreFixture<NothingStore.Transaction> fixture() {
            return new NothingFixture();
        }
    }

    static final class NothingEngineSuite extends EngineSuite<NothingStore.Transaction> {
        @Override
        protected StoreFixture<NothingStore.Transaction> fixture() {
            return new NothingFixture();
        }
    }

    static final class NothingOperatorSuite extends OperatorSuite<NothingStore.Transaction> {
        @Override
        protected StoreFixture<NothingStore.Transaction> fixture() {
            return new NothingFixture();
        }
    }
}
