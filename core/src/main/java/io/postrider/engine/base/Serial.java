package io.postrider.engine.base;

import io.postrider.Environment;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * Runs tasks one at a time, in order, on another executor's threads: what it guards needs no lock. Whatever a task
 * throws, an {@link Error} too, is told to its owner, and the next task runs.
 */
public final class Serial implements Executor {
    private static final Logger LOG = Logs.of(Serial.class);

    /** How long a task waits that no thread takes. */
    private static final Duration NO_THREAD_PAUSE = Duration.ofMillis(100);

    private final Environment environment;
    private final Consumer<Throwable> failed;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean active;

    /** @param failed is told what a task has thrown, on this serial */
    public Serial(Environment environment, Consumer<Throwable> failed) {
        this.environment = environment;
        this.failed = failed;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (active) {
                return;
            }
            active = true;
        }
        begin();
    }

    private void begin() {
        if (!handed()) {
            try {
                environment.schedule(NO_THREAD_PAUSE, this::begin);
                LOG.warn("No thread takes a task of the engine; it waits, and is tried again");
            } catch (Throwable e) {
                synchronized (tasks) {
                    active = false;
                }
                LOG.error("Not even a timer takes a task of the engine; it waits for the next that comes", e);
            }
        }
    }

    private boolean handed() {
        try {
            environment.engine().execute(this::run);
            return true;
        } catch (Throwable e) {
            LOG.debug("No thread", e);
            return false;
        }
    }

    /** Where no thread takes the next task, this one goes on with it. */
    private void run() {
        do {
            runNext();
        } while (goesOn() && !handed());
    }

    private void runNext() {
        Runnable task;
        synchronized (tasks) {
            task = tasks.remove();
        }
        try {
            task.run();
        } catch (Throwable e) {
            tell(e);
        }
    }

    private boolean goesOn() {
        synchronized (tasks) {
            active = !tasks.isEmpty();
            return active;
        }
    }

    private void tell(Throwable failure) {
        try {
            failed.accept(failure);
        } catch (Throwable e) {
            LOG.error("The engine failed, and could not deal with it; it goes on with what comes next", e);
        }
    }
}
