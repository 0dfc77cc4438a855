package io.postrider.engine.queue;

import io.postrider.Environment;
import io.postrider.store.Tasks;
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
    /** How many are asking at present, and what was fed since the first of them began. */
    private int asking;

    private long fedMeanwhile;

    ReadyTasks(Tasks tasks, Environment environment, String subscription, int most) {
        this.tasks = tasks;
        this.environment = environment;
        this.subscription = subscription;
        this.most = most;
    }

    synchronized void fed(int number) {
        known += number;
        fedMeanwhile += number;
    }

    /** Whether there may be more. Nobody waits for the answer that another gets from the store. */
    boolean hasRoom() {
        if (isKnownToHaveRoom()) {
            return true;
        }
        int ready = -1;
        try {
            ready = tasks.ready(subscription, most);
        } finally {
            answered(ready);
        }
        return isBelowMost();
    }

    /** If not, the caller asks. */
    private synchronized boolean isKnownToHaveRoom() {
        boolean recent = asking > 0 || environment.nanos() - askedNanos <= KNOWN_FOR.toNanos();
        if (asked && known < most && recent) {
            return true;
        }
        fedMeanwhile = asking == 0 ? 0 : fedMeanwhile;
        asking++;
        return false;
    }

    /** What was fed meanwhile may be in the answer or not: to count it twice lasts no longer than the answer. */
    private synchronized void answered(int ready) {
        asking--;
        if (ready >= 0) {
            known = ready + fedMeanwhile;
            askedNanos = environment.nanos();
            asked = true;
        }
    }

    private synchronized boolean isBelowMost() {
        return known < most;
    }
}
