package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.text.Logs;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** What a task throws ends its serial in no case, also where nobody can be told of it. */
class SerialTest {
    private static final Logger OWNER = Logs.of(SerialTest.class);

    private final SystemEnvironment environment = new SystemEnvironment();
    private final PrintStream before = System.err;

    @AfterEach
    void close() {
        System.setErr(before);
        environment.close();
    }

    @Test
    void a_task_that_fails_while_memory_is_short_is_followed_by_the_next() throws InterruptedException {
        AtomicBoolean full = new AtomicBoolean(true);
        System.setErr(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                if (full.get()) {
                    throw new OutOfMemoryError("simulated");
                }
            }
        });
        Serial serial = new Serial(environment, failure -> {
            OWNER.error("The owner tells", failure);
            throw new OutOfMemoryError("simulated");
        });
        CountDownLatch ran = new CountDownLatch(2);
        serial.execute(() -> {
            throw new OutOfMemoryError("simulated");
        });
        serial.execute(ran::countDown);
        serial.execute(ran::countDown);
        assertThat(ran.await(20, TimeUnit.SECONDS)).as("the tasks that follow").isTrue();
    }

    @Test
    void a_task_that_is_due_while_memory_is_short_runs_when_there_is_some() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        AtomicBoolean full = new AtomicBoolean(true);
        environment.schedule(Duration.ZERO, () -> {
            if (full.getAndSet(false)) {
                throw new OutOfMemoryError("simulated");
            }
            ran.countDown();
        });
        assertThat(ran.await(20, TimeUnit.SECONDS)).as("the task ran").isTrue();
    }
}
