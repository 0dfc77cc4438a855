package io.postrider.engine;

import io.postrider.spi.Environment;
import io.postrider.spi.Tasks;
import java.time.Duration;

/** How many tasks of a queue are ready: asked of the store now and then, guessed from what was fed in between. */
final class ReadyTasks {
    /** How long an answer is good enough. */
    private static final Duration KNOWN_FOR = Duration.ofSeconds(1);

    private final Tasks tasks;
    private final Environment environment;
    private final String subscription;
    private final int most;
    private long known;
    private long askedNanos;
    private boolean asked;

    ReadyTasks(Tasks tasks, Environment environment, String subscription, int most) {
        this.tasks = tasks;
        this.environment = environment;
        this.subscription = subscription;
        this.most = most;
    }

    synchronized void fed(int number) {
        known += number;
    }

    /** Whether there may be more. */
    synchronized boolean hasRoom() {
        long now = environment.nanos();
        if (!asked || known >= most || now - askedNanos > KNOWN_FOR.toNanos()) {
            known = tasks.ready(subscription, most);
            askedNanos = now;
            asked = true;
        }
        return known < most;
    }
}
