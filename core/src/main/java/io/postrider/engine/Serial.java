package io.postrider.engine;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Runs tasks one at a time, in order, on another executor's threads: what it guards needs no lock. */
final class Serial implements Executor {
    private final Executor executor;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean active;

    Serial(Executor executor) {
        this.executor = executor;
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
        executor.execute(this::runNext);
    }

    private void runNext() {
        Runnable task;
        synchronized (tasks) {
            task = tasks.remove();
        }
        try {
            task.run();
        } finally {
            boolean more;
            synchronized (tasks) {
                more = !tasks.isEmpty();
                active = more;
            }
            if (more) {
                executor.execute(this::runNext);
            }
        }
    }
}
