package io.postrider.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** How the way to the store is at present: how long a call takes, and whether it or its answer is lost. */
final class StoreWeather {
    private static final Duration USUAL = Duration.ofMillis(3);

    private final Scheduler scheduler;
    private final SplittableRandom random;
    private final List<Spell> spells = new ArrayList<>();

    /** A stretch of bad weather. */
    private record Spell(long until, double chance, double errs, Duration slower) {}

    /** What becomes of one call. */
    enum Fate {
        ANSWERED,
        /** Nothing happens, and the caller learns of a failure. */
        LOST,
        /** It happens, and the caller learns of a failure. */
        ANSWER_LOST,
        /** Nothing happens, because the caller fails with an {@link Error}. */
        UNSENT,
        /** It happens, and the caller fails with an {@link Error} over the answer. */
        UNHEARD;

        boolean hasEffect() {
            return this != LOST && this != UNSENT;
        }

        boolean isError() {
            return this == UNSENT || this == UNHEARD;
        }
    }

    StoreWeather(Scheduler scheduler, SplittableRandom random) {
        this.scheduler = scheduler;
        this.random = random;
    }

    void fails(Duration length, double chance) {
        spells.add(new Spell(scheduler.nanos() + length.toNanos(), chance, 0, Duration.ZERO));
    }

    void errs(Duration length, double chance) {
        spells.add(new Spell(scheduler.nanos() + length.toNanos(), 0, chance, Duration.ZERO));
    }

    void slow(Duration length, Duration by) {
        spells.add(new Spell(scheduler.nanos() + length.toNanos(), 0, 0, by));
    }

    /** One way of a call. */
    Duration way() {
        Duration way = Duration.ofNanos(random.nextLong(USUAL.toNanos()));
        for (Spell spell : spells) {
            if (spell.until() > scheduler.nanos() && !spell.slower().isZero()) {
                way = way.plusNanos(random.nextLong(spell.slower().toNanos()));
            }
        }
        return way;
    }

    Fate fate() {
        for (Spell spell : spells) {
            if (spell.until() > scheduler.nanos() && random.nextDouble() < spell.chance() + spell.errs()) {
                boolean before = random.nextBoolean();
                return spell.errs() > 0 ? before ? Fate.UNSENT : Fate.UNHEARD : before ? Fate.LOST : Fate.ANSWER_LOST;
            }
        }
        return Fate.ANSWERED;
    }
}
