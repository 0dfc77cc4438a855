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
    private record Spell(long until, double chance, Duration slower) {}

    /** What becomes of one call. */
    enum Fate {
        ANSWERED,
        /** Nothing happens, and the caller learns of a failure. */
        LOST,
        /** It happens, and the caller learns of a failure. */
        ANSWER_LOST
    }

    StoreWeather(Scheduler scheduler, SplittableRandom random) {
        this.scheduler = scheduler;
        this.random = random;
    }

    void fails(Duration length, double chance) {
        spells.add(new Spell(scheduler.nanos() + length.toNanos(), chance, Duration.ZERO));
    }

    void slow(Duration length, Duration by) {
        spells.add(new Spell(scheduler.nanos() + length.toNanos(), 0, by));
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
            if (spell.until() > scheduler.nanos() && random.nextDouble() < spell.chance()) {
                return random.nextBoolean() ? Fate.LOST : Fate.ANSWER_LOST;
            }
        }
        return Fate.ANSWERED;
    }
}
