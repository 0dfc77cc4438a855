package io.postrider.engine.node;

import io.postrider.Environment;
import io.postrider.engine.base.Pace;
import io.postrider.engine.base.Pauses;
import io.postrider.engine.base.Serial;
import io.postrider.engine.base.Stumbles;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Cursor;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Watch;
import io.postrider.text.Logs;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Looks for news in the log, often while there are some and seldom while there are none. It only wakes lanes earlier
 * than they would look by themselves, so a look that fails costs time and nothing else.
 */
final class Watcher {
    private static final Logger LOG = Logs.of(Watcher.class);

    private final Store<?> store;
    private final Environment environment;
    private final Node node;
    private final Serial serial;
    private final Stumbles stumbles;
    private final Pauses pauses;
    private @Nullable Cursor cursor;
    private final Pace pace;
    private Environment.Timer timer = () -> {};
    private volatile boolean stopped = true;

    Watcher(Store<?> store, Environment environment, NodeLimits limits, Node node) {
        this.store = store;
        this.environment = environment;
        this.node = node;
        this.serial = new Serial(environment, this::failed);
        this.pace = new Pace(limits);
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
        if (stopped || pace.isShortest()) {
            return;
        }
        serial.execute(() -> {
            if (!stopped && !pace.isShortest()) {
                lookIn(pace.shortest());
            }
        });
    }

    private void look() {
        if (stopped) {
            return;
        }
        Duration pause;
        try {
            if (cursor == null) {
                cursor = store.watch().now();
                node.wakeAll();
            }
            Watch.News news = store.watch().watch(cursor);
            cursor = news.cursor();
            node.wake(news.lanes()::get);
            node.unowned(news.unowned());
            pauses.reset();
            pause = pace.after(!news.lanes().isEmpty());
        } catch (StoreException e) {
            cursor = null;
            pause = pace.longest();
            node.failing(e);
        } catch (Throwable e) {
            cursor = null;
            pace.longest();
            pause = pauses.next();
            failed(e);
        }
        lookIn(pause);
    }

    private void failed(Throwable failure) {
        stumbles.tell("Watching the log failed unexpectedly; it is tried again, and lanes look by themselves", failure);
    }

    private void lookIn(Duration delay) {
        timer.cancel();
        timer = environment.schedule(delay, () -> serial.execute(this::look));
    }
}
