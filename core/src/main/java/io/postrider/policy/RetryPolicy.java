package io.postrider.policy;

import java.time.Duration;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * When a failed event is tried again, and after how many attempts it is dead.
 *
 * @param attempts how often an event is dispatched at most, the first time included
 * @param immediate how many retries follow at once, in the same process, before the event is parked
 * @param first the pause before the first retry; each further one is twice as long
 * @param cap the longest pause
 * @param jitter how much of a pause is random, 0 to 1; it only shortens
 * @param fatal exceptions that no retry can heal: the event is dead at once
 */
public record RetryPolicy(
        int attempts,
        int immediate,
        Duration first,
        Duration cap,
        double jitter,
        Set<Class<? extends Throwable>> fatal) {

    /** 1, 2, 4, 8, 16, 32 s, then every 60 s; ten attempts in all. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(10, 0, Duration.ofSeconds(1), Duration.ofSeconds(60), 0.1, Set.of());

    public RetryPolicy {
        fatal = Set.copyOf(fatal);
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts is at least 1, got " + attempts);
        }
        if (immediate < 0) {
            throw new IllegalArgumentException("immediate is not negative, got " + immediate);
        }
        if (first.isNegative() || cap.compareTo(first) < 0) {
            throw new IllegalArgumentException("pauses go from first to cap, got " + first + " to " + cap);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("jitter is 0 to 1, got " + jitter);
        }
    }

    public RetryPolicy attempts(int attempts) {
        return new RetryPolicy(attempts, immediate, first, cap, jitter, fatal);
    }

    public RetryPolicy immediate(int immediate) {
        return new RetryPolicy(attempts, immediate, first, cap, jitter, fatal);
    }

    public RetryPolicy pauses(Duration first, Duration cap) {
        return new RetryPolicy(attempts, immediate, first, cap, jitter, fatal);
    }

    public RetryPolicy jitter(double jitter) {
        return new RetryPolicy(attempts, immediate, first, cap, jitter, fatal);
    }

    /** These exceptions and their subclasses are fatal; all others can be retried. */
    @SafeVarargs
    public final RetryPolicy fatal(Class<? extends Throwable>... fatal) {
        return new RetryPolicy(attempts, immediate, first, cap, jitter, Set.of(fatal));
    }

    public boolean isFatal(Throwable failure) {
        return fatal.stream().anyMatch(type -> type.isInstance(failure));
    }

    /** Whether, after this many attempts, the next one follows at once. */
    public boolean againAtOnce(int attempt) {
        return attempt <= immediate && attempt < attempts;
    }

    /** The longest time from the first attempt to the end of the last, if each takes this long. */
    public Duration longest(Duration attempt) {
        Duration longest = attempt.multipliedBy(attempts);
        Duration pause = first;
        for (int left = attempts - 1; left > 0; left--) {
            if (pause.isZero() || pause.compareTo(cap) >= 0) {
                return longest.plus((pause.isZero() ? pause : cap).multipliedBy(left));
            }
            longest = longest.plus(pause);
            pause = pause.multipliedBy(2);
        }
        return longest;
    }

    /** The pause after this many attempts have failed. */
    public Duration pause(int attempt, RandomGenerator random) {
        double factor = Math.pow(2, Math.min(attempt - 1, 62));
        double nanos = Math.min(first.toNanos() * factor, (double) cap.toNanos());
        return Duration.ofNanos((long) (nanos * (1 - jitter * random.nextDouble())));
    }
}
