package io.postrider;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.text.Logs;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What core may touch. Time, threads and randomness come through one port, so that a simulation can bring its own. */
class ArchitectureTest {
    private static final String[] LAYERS = Stream.of(
                    "base", "dispatch", "lane", "queue", "receive", "operation", "node")
            .map("io.postrider.engine."::concat)
            .toArray(String[]::new);

    private final JavaClasses core = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.postrider");

    @Test
    void only_the_system_environment_makes_threads() {
        onlyTheEnvironment(uses(Thread.class, "<init>|start|of.*"));
        onlyTheEnvironment(uses(Executors.class, ".*"));
        onlyTheEnvironment(uses(ThreadPoolExecutor.class, ".*"));
        onlyTheEnvironment(uses(ForkJoinPool.class, ".*"));
        onlyTheEnvironment(uses(Timer.class, ".*"));
        onlyTheEnvironment(uses(CompletableFuture.class, ".*Async|orTimeout|completeOnTimeout|delayedExecutor"));
    }

    @Test
    void only_the_system_environment_looks_at_a_clock_or_waits() {
        onlyTheEnvironment(uses(System.class, "nanoTime|currentTimeMillis"));
        onlyTheEnvironment(uses(Instant.class, "now"));
        onlyTheEnvironment(uses(InstantSource.class, ".*"));
        onlyTheEnvironment(uses(Thread.class, "sleep|join"));
        onlyTheEnvironment(uses(LockSupport.class, ".*"));
    }

    @Test
    void only_the_system_environment_draws_random_numbers() {
        onlyTheEnvironment(uses(Random.class, ".*"));
        onlyTheEnvironment(uses(SplittableRandom.class, ".*"));
        onlyTheEnvironment(uses(UUID.class, "randomUUID"));
        onlyTheEnvironment(uses(Math.class, "random"));
    }

    @Test
    void core_needs_no_more_than_java_logging_annotations_and_json() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.postrider..", "java..", "org.slf4j..", "org.jspecify..", "tools.jackson..")
                .check(core);
    }

    /** A host with a codec of its own may have no Jackson, or another one: what it does not use is not loaded. */
    @Test
    void jackson_is_known_to_its_codec_to_cloud_events_and_to_values_that_sources_give() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(JacksonCodec.class)
                .and()
                .haveNameNotMatching(".*[.$](CloudEventJson|SetAside[$]Values)")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("tools.jackson..")
                .check(core);
    }

    @Test
    void no_packages_depend_on_each_other_in_a_circle_but_for_the_root() {
        slices().matching("io.postrider.(**)").should().beFreeOfCycles().check(core);
    }

    /** Any other logger may throw between a fault and its recovery. */
    @Test
    void loggers_are_those_that_never_throw() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(Logs.class)
                .should()
                .accessTargetWhere(uses(LoggerFactory.class, "getLogger"))
                .check(core);
    }

    @Test
    void only_the_root_knows_the_engine() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.postrider", "io.postrider.engine..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.postrider.engine..")
                .check(core);
    }

    @Test
    void the_engine_has_layers() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("base")
                .definedBy("io.postrider.engine.base")
                .layer("dispatch")
                .definedBy("io.postrider.engine.dispatch")
                .layer("lane")
                .definedBy("io.postrider.engine.lane")
                .layer("queue")
                .definedBy("io.postrider.engine.queue")
                .layer("receive")
                .definedBy("io.postrider.engine.receive")
                .layer("operation")
                .definedBy("io.postrider.engine.operation")
                .layer("node")
                .definedBy("io.postrider.engine.node")
                .whereLayer("dispatch")
                .mayOnlyAccessLayers("base")
                .whereLayer("lane")
                .mayOnlyAccessLayers("base", "dispatch")
                .whereLayer("queue")
                .mayOnlyAccessLayers("base", "dispatch", "lane")
                .whereLayer("receive")
                .mayOnlyAccessLayers("base", "dispatch", "lane")
                .whereLayer("operation")
                .mayOnlyAccessLayers("base", "dispatch", "lane")
                .whereLayer("base")
                .mayNotAccessAnyLayer()
                .check(core);
    }

    @Test
    void every_class_of_the_engine_has_a_layer() {
        classes()
                .that()
                .resideInAPackage("io.postrider.engine..")
                .should()
                .resideInAnyPackage(LAYERS)
                .check(core);
    }

    @Test
    void a_decision_about_an_outcome_is_a_match_that_a_further_outcome_does_not_compile_with() {
        assertThat(core.stream()
                        .flatMap(each -> each.getInstanceofChecks().stream())
                        .filter(check -> check.getRawType().isAssignableTo(Outcome.class))
                        .map(check -> check.getOwner().getOwner())
                        .filter(owner -> !owner.isEquivalentTo(Outcome.class)))
                .isEmpty();
    }

    private void onlyTheEnvironment(DescribedPredicate<JavaAccess<?>> access) {
        noClasses()
                .that()
                .doNotBelongToAnyOf(SystemEnvironment.class)
                .should()
                .accessTargetWhere(access)
                .check(core);
    }

    private static DescribedPredicate<JavaAccess<?>> uses(Class<?> owner, String names) {
        return DescribedPredicate.describe(
                "uses " + owner.getSimpleName() + "." + names,
                access -> access.getTargetOwner().isAssignableTo(owner)
                        && access.getName().matches(names));
    }
}
