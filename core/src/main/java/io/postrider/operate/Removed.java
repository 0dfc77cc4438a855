package io.postrider.operate;

import java.util.Map;

/**
 * What came of a removal, and what the subscription had.
 *
 * @param found whether there was one
 * @param done whether it is gone
 * @param dead events that nobody has decided about, wherever they are kept
 * @param expired the same of events that have expired
 * @param waiting delivery rows of events that were to be dispatched, or ran
 * @param pending events to which its lanes had not come, about: those among them that its filter leaves out, too
 */
public record Removed(boolean found, boolean done, long dead, long expired, long waiting, long pending) {
    public static final Removed NONE = new Removed(false, false, 0, 0, 0, 0);

    /** Whether the removal drops something that only {@link Removal#DROPPING} may. */
    public boolean any() {
        return dead + expired + waiting > 0;
    }

    /** What the audit keeps of it. */
    public Map<String, String> details() {
        return Map.of(
                "dead", Long.toString(dead),
                "expired", Long.toString(expired),
                "waiting", Long.toString(waiting),
                "pending", Long.toString(pending));
    }
}
