package io.postrider.engine.base;

import io.postrider.policy.NodeLimits;
import java.time.Duration;

/**
 * How often somebody looks who may find nothing: after each look in vain a quarter later, from {@code pollMin} up to
 * {@code pollMax}. One thread changes it at a time; any may read it.
 */
public final class Pace {
    private final Duration shortest;
    private final Duration longest;
    private volatile Duration pause;

    public Pace(NodeLimits limits) {
        this.shortest = limits.pollMin();
        this.longest = limits.pollMax();
        this.pause = shortest;
    }

    /** The pause after a look. */
    public Duration after(boolean found) {
        pause = found ? shortest : Pauses.shorter(pause.multipliedBy(5).dividedBy(4), longest);
        return pause;
    }

    public Duration shortest() {
        return after(true);
    }

    public Duration longest() {
        pause = longest;
        return longest;
    }

    public boolean isShortest() {
        return pause.equals(shortest);
    }
}
