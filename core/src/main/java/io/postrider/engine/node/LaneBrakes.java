package io.postrider.engine.node;

import io.postrider.Environment;
import io.postrider.Lane;
import io.postrider.engine.base.Pauses;
import io.postrider.engine.lane.LaneOwner;
import io.postrider.store.Ownership;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Lanes that end again and again without getting anywhere, for whatever reason, are claimed with longer and longer
 * pauses: each time their events may be dispatched once more. Not thread-safe: the subscription guards it.
 */
final class LaneBrakes {
    private static final Logger LOG = Logs.of(LaneBrakes.class);
    private static final Duration FIRST = Duration.ofMillis(50);
    /** A lane that ran for so long after its pause begins anew. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(1);
    /** Lanes that get nowhere are likely to have one cause: one of them is told at a time. */
    private static final Duration SILENCE = Duration.ofMinutes(1);
    /** So often it may be chance. */
    private static final int TOLD_AT = 3;

    private final Environment environment;
    private final Duration longest;
    private final Map<Lane, Brake> brakes = new HashMap<>();

    private @Nullable Long toldNanos;

    private record Brake(int ends, long untilNanos) {}

    LaneBrakes(Environment environment, Duration longest) {
        this.environment = environment;
        this.longest = longest;
    }

    /** A lane has ended by itself; answers for how long it is not to be claimed. */
    Duration ended(Ownership lane, LaneOwner.Failed failed) {
        long now = environment.nanos();
        Brake before = failed.gotAnywhere() ? null : brakes.get(lane.lane());
        if (before != null && now - before.untilNanos() >= FORGOTTEN.toNanos()) {
            before = null;
        }
        int ends = before == null ? 1 : before.ends() + 1;
        Duration pause = pause(ends);
        brakes.put(lane.lane(), new Brake(ends, now + pause.toNanos()));
        if (ends >= TOLD_AT && (toldNanos == null || now - toldNanos >= SILENCE.toNanos())) {
            toldNanos = now;
            LOG.warn(
                    "{} has ended {} times in a row without getting on; the lane is claimed again with pauses of up to"
                            + " {} ms until it does. The last time: {}",
                    lane.inWords(),
                    ends,
                    longest.toMillis(),
                    failed.why());
        }
        return pause;
    }

    /** None the first time: a store that failed once may well answer now. */
    private Duration pause(int ends) {
        return ends == 1 ? Duration.ZERO : Pauses.after(ends - 2, FIRST, longest);
    }

    /** Lanes that are not to be claimed at present. */
    List<Lane> held() {
        long now = environment.nanos();
        return brakes.entrySet().stream()
                .filter(brake -> now - brake.getValue().untilNanos() < 0)
                .map(Map.Entry::getKey)
                .toList();
    }
}
