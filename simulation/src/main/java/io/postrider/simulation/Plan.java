package io.postrider.simulation;

import io.postrider.policy.AfterDead;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Retention;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Everything that happens in a run, drawn from a seed before it begins: leaving an action out changes no other.
 *
 * @param seed also decides what a plan does not name: how long calls take, and which of those that are ready runs first
 * @param effects whether there are handlers with effects in the store
 * @param loses how many events that the broker has acknowledged it loses with each of its outages
 * @param themes what else may happen
 */
record Plan(
        long seed,
        int nodes,
        AfterDead afterDead,
        boolean effects,
        int loses,
        Set<Theme> themes,
        List<Action> actions) {
    /** Nothing new happens after this. */
    static final Duration LENGTH = Duration.ofSeconds(12);

    Plan {
        themes = Set.copyOf(themes);
        actions = List.copyOf(actions);
    }

    static Plan of(long seed) {
        return new DrawThemes(plain(seed)).plan(EnumSet.allOf(Theme.class));
    }

    /** The same with themes up to this one only: it stays what it was when others are added behind. */
    static Plan upTo(Theme last, long seed) {
        return new DrawThemes(plain(seed)).plan(EnumSet.range(Theme.ERRORS, last));
    }

    /** The same without themes. */
    static Plan plain(long seed) {
        return new Draw(seed).plan();
    }

    Plan with(List<Action> others) {
        return new Plan(seed, nodes, afterDead, effects, loses, themes, others);
    }

    private boolean has(Subscribed subscription) {
        return switch (subscription) {
            case HANDLERS, DESTINATION, ANY_ORDER -> true;
            case EFFECTS -> effects;
            case WITH_EFFECT -> has(Theme.WITH_EFFECT);
            case QUEUE -> has(Theme.QUEUE);
        };
    }

    boolean has(Theme theme) {
        return themes.contains(theme);
    }

    /** What was lost, or is to be replayed, can only be dispatched again as long as the log has it. */
    NodeLimits limits() {
        return Settings.limits(held(), loses > 0 || has(Theme.OPERATIONS));
    }

    /** From four on, the next rows are read while some are left. */
    private int held() {
        return has(Theme.HOT_LANE) && Math.floorMod(seed, 2) == 1
                ? 2 * Settings.HELD + (int) Math.floorMod(seed / 2, 3L)
                : Settings.HELD;
    }

    /** Dead events that block their keys are kept until someone decides, and so are those that a broker has lost. */
    Retention retention(Subscribed subscription) {
        boolean blocks = subscription.ordered() && afterDead == AfterDead.STAY_BLOCKED;
        if (blocks || subscription == Subscribed.DESTINATION) {
            return Retention.DEFAULT;
        }
        return subscription == Subscribed.ANY_ORDER ? Settings.OLDEST : Settings.RETENTION;
    }

    List<Subscribed> subscribed() {
        return Stream.of(Subscribed.values()).filter(this::has).toList();
    }
}
