package io.postrider.engine.operation;

import io.postrider.Environment;
import io.postrider.engine.base.Rate;
import io.postrider.engine.lane.LaneSettle;
import io.postrider.operate.Operation;
import io.postrider.store.Chunks;
import io.postrider.store.RefusedException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One operation while this node holds it: canary, then chunk after chunk, at its pace. A replay keeps only so many of
 * its events waiting at once, so that lanes do not fill up with it. Not thread-safe: {@link OperationRuns} calls it.
 */
final class OperationRun {
    /** Events in one chunk: one statement, short enough to be cancelled between two. */
    private static final int CHUNK = 500;
    /** Replayed events that may wait at once: about a thousand for each lane. */
    private static final int WAITING_MAX = 16_000;
    /** Of those, how many of skipped and delivered events may wait in one lane. */
    private static final int WAITING_PER_LANE = 1_000;

    private final Chunks chunks;
    private final Chunks.HeldOperation held;
    private final Operation.Pace pace;
    private final Times times;
    private final Rate rate;
    private final int perLane;
    private boolean canary;
    private boolean exhausted;
    private long done;
    private int refusals;

    /** For how long it is held, and how long it waits before it looks again. */
    record Times(Duration lease, Duration pause) {}

    /** @param parkedMax rows of a lane that wait, beyond which it reads nothing new: a replay fills half of them */
    OperationRun(Chunks chunks, Environment environment, Chunks.HeldOperation held, Times times, int parkedMax) {
        this.chunks = chunks;
        this.held = held;
        this.pace = held.operation().pace();
        this.times = times;
        this.rate = new Rate(environment, pace.perSecond());
        this.perLane = Math.max(1, Math.min(WAITING_PER_LANE, parkedMax / 2));
        this.canary = held.operation().state() == Operation.State.CANARY;
        this.done = held.operation().progress().done();
    }

    Chunks.HeldOperation held() {
        return held;
    }

    /** Does the next thing; answers how long to wait before the one after it, or null if there is none. */
    @Nullable
    Duration step() {
        if (held.operation().kind() == Operation.Kind.DISCARD) {
            return move(CHUNK);
        }
        Optional<Chunks.Watched> watched = chunks.watch(held, WAITING_MAX, times.lease());
        if (watched.isEmpty()) {
            return null;
        }
        if (!canary) {
            int room = WAITING_MAX - watched.get().waiting();
            return room > 0 ? move(Math.min(CHUNK, room)) : times.pause();
        }
        return exhausted || done >= pace.canary()
                ? judge(watched.get())
                : move((int) Math.min(CHUNK, pace.canary() - done));
    }

    private @Nullable Duration judge(Chunks.Watched watched) {
        if (watched.failedAgain() > pace.canaryFailures()) {
            chunks.stop(held);
            return null;
        }
        if (watched.waiting() > 0) {
            return times.pause();
        }
        canary = false;
        return chunks.pass(held) ? Duration.ZERO : null;
    }

    /** After a chunk that was refused, smaller ones, so that whatever can be decided about is. */
    private int most() {
        return CHUNK >> refusals;
    }

    /** An operation whose next event the store refuses cannot go on: to try again would be refused again. */
    private @Nullable Duration refused(RefusedException refusal) {
        refusals++;
        if (most() > 0) {
            return Duration.ZERO;
        }
        chunks.fail(held, "the store refuses what it would do to the next event: " + LaneSettle.reason(refusal));
        return null;
    }

    private @Nullable Duration move(int most) {
        int allowed = rate.allowed(most);
        if (allowed == 0) {
            return rate.pause().compareTo(times.pause()) < 0 ? rate.pause() : times.pause();
        }
        Optional<Chunks.Moved> moved;
        try {
            moved = chunks.move(held, new Chunks.Room(Math.min(allowed, most()), perLane), times.lease());
        } catch (RefusedException e) {
            return refused(e);
        }
        if (moved.isEmpty()) {
            return null;
        }
        rate.began(moved.get().moved());
        done = moved.get().done();
        exhausted = moved.get().exhausted();
        if (!moved.get().subscribed()) {
            chunks.fail(held, "its subscription was removed");
            return null;
        }
        if (moved.get().full()) {
            return times.pause();
        }
        return exhausted && !canary ? null : Duration.ZERO;
    }
}
