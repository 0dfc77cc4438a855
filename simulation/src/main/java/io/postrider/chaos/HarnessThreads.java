package io.postrider.chaos;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The threads that stand between the ends of a cluster. What goes wrong in one is kept and thrown by {@link #check}: it
 * would else look like a failure of the engine, or like nothing at all. Thread-safe.
 */
final class HarnessThreads {
    private final Queue<Unmeasured> failures = new ConcurrentLinkedQueue<>();

    /** What a thread does; the end of a connection is no failure, and is its own business. */
    @FunctionalInterface
    interface Task {
        void run() throws Exception;
    }

    void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (Throwable e) {
                        failures.add(new Unmeasured("the harness's thread '" + name + "' failed: " + e, e));
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Takes connections until the listener is closed. */
    void accept(String name, ServerSocket listener, Consumer<Socket> taker) {
        start(name, () -> {
            while (!listener.isClosed()) {
                try {
                    taker.accept(listener.accept());
                } catch (IOException e) {
                    if (!listener.isClosed()) {
                        throw e;
                    }
                }
            }
        });
    }

    /** Throws the first failure there was: those that came later may follow from it. */
    void check() throws Unmeasured {
        Unmeasured first = failures.peek();
        if (first != null) {
            throw first;
        }
    }
}
