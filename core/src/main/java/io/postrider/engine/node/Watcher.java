package io.postrider.engine.node;

import io.postrider.Environment;
import io.postrider.engine.base.Pauses;
import io.postrider.engine.base.Serial;
import io.postrider.engine.base.Stumbles;
import io.postrider.policy.Limits;
import io.postrider.store.Cursor;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Watch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for news in the log, often while there are some and seldom while there are none. It only wakes lanes earlier
 * than they would look by themselves, so a look that fails costs time and nothing else.
 */
final class Watcher {
    private static final Logger LOG = LoggerFactory.getLogger(Watcher.class);

    private final Store<?> store;
    private final Environment environment;
    private final Limits limits;
    private final Node node;
    private final Serial serial;
    private final Stumbles stumbles;
    private final Pauses pauses;
    private @Nullable Cursor cursor;
    private volatile Duration pause;
    private Environment.Timer timer = () -> {};
    private volatile boolean stopped = true;

    Watcher(Store<?> store, Environment environment, Limits limits, Node node) {
        this.store = store;
        this.environment = environment;
        this.limits = limits;
        this.node = node;
        this.serial = new Serial(environment, this::failed);
        this.pause = limits.pollMin();
        this.stumbles = new Stumbles(LOG, environment);
        this.pauses = new Pauses(limits.pollMax(), limits.backoffMax());
    }

    void start() {
        stopped = false;
        serial.execute(this::look);
    }

    void stop() {
        serial.execute(() -> {
            stopped = true;
            timer.cancel();
        });
    }

    /** Runs something behind the look that may be under way. */
    void whenIdle(Runnable task) {
        serial.execute(task);
    }

    /** News are likely: look with short pauses again, and the first time after the shortest. */
    void hurry() {
        if (stopped || pause.equals(limits.pollMin())) {
            return;
        }
        serial.execute(() -> {
            if (!stopped && pause.compareTo(limits.pollMin()) > 0) {
                pause = limits.pollMin();
                lookIn(pause);
            }
        });
    }

    private void look() {
        if (stopped) {
            return;
        }
        try {
            if (cursor == null) {
                cursor = store.watch().now();
                node.wakeAll();
            }
            Watch.News news = store.watch().watch(cursor);
            cursor = news.cursor();
            node.wake(news.lanes());
            node.unowned(news.unowned());
            pauses.reset();
            pause = news.lanes().isEmpty() ? longer() : limits.pollMin();
        } catch (StoreException e) {
            cursor = null;
            pause = limits.pollMax();
            node.failing(e);
        } catch (Throwable e) {
            cursor = null;
            pause = pauses.next();
            failed(e);
        }
        lookIn(pause);
    }

    private void failed(Throwable failure) {
        stumbles.tell("Watching the log failed unexpectedly; it is tried again, and lanes look by themselves", failure);
    }

    private Duration longer() {
        Duration next = pause.multipliedBy(5).dividedBy(4);
        return next.compareTo(limits.pollMax()) < 0 ? next : limits.pollMax();
    }

    private void lookIn(Duration delay) {
        timer.cancel();
        timer = environment.schedule(delay, () -> serial.execute(this::look));
    }
}
