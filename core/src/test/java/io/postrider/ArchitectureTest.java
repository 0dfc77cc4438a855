package io.postrider;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.postrider.engine.SystemEnvironment;
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
import org.junit.jupiter.api.Test;

/** What core may touch. Time, threads and randomness come through one port, so that a simulation can bring its own. */
class ArchitectureTest {
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

    @Test
    void ports_do_not_know_the_engine() {
        noClasses()
                .that()
                .resideInAPackage("io.postrider.spi..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.postrider.engine..")
                .check(core);
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
