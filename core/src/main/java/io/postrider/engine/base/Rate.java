package io.postrider.engine.base;

import io.postrider.Environment;
import java.time.Duration;

/** How many tasks may begin: so many per second, saved up for at most one second. Not thread-safe. */
public final class Rate {
    private final Environment environment;
    private final int perSecond;
    private double saved;
    private long lookedNanos;

    /** As many as there are if {@code perSecond} is 0. */
    public Rate(Environment environment, int perSecond) {
        this.environment = environment;
        this.perSecond = perSecond;
        this.saved = perSecond;
        this.lookedNanos = environment.nanos();
    }

    /** How many of these may begin now. */
    public int allowed(int wanted) {
        if (perSecond == 0) {
            return wanted;
        }
        long now = environment.nanos();
        saved = Math.min(perSecond, saved + (now - lookedNanos) * perSecond / 1e9);
        lookedNanos = now;
        return (int) Math.min(wanted, saved);
    }

    public void began(int number) {
        saved -= perSecond == 0 ? 0 : number;
    }

    /** When the next one may begin. */
    public Duration pause() {
        return perSecond == 0 || saved >= 1 ? Duration.ZERO : Duration.ofNanos((long) ((1 - saved) * 1e9 / perSecond));
    }
}
