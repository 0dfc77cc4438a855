package io.postrider.store;

import io.postrider.Event;
import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.policy.Start;
import io.postrider.text.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The named readers of a log, as the store knows them. */
public interface Subscriptions {

    /**
     * Creates the subscription with its lanes and cursors, or finds it there; its filter's fingerprint becomes this
     * one. The start counts only when it is created.
     *
     * <p>Where the filter was another one, the same statement takes every lane from its owner, so that nothing is
     * settled under the old filter any more, remembers for each lane how far it had come under that one, and audits the
     * change.
     *
     * @param node the node that registers, for the audit
     * @throws IllegalArgumentException if the name cannot be shown, or if the start names something the log does not
     *     have
     */
    Registered register(String subscription, Start start, String filter, String node);

    /** The same for a node whose name does not matter. */
    default Registered register(String subscription, Start start, String filter) {
        return register(subscription, start, filter, "unnamed");
    }

    /**
     * Makes this filter the subscription's if no live node has had the stored one for so long, on the store's clock:
     * the version that brought it is gone. Where a live node has the filter from before that one, only such a node gets
     * it. Done and audited as in {@link #register}.
     *
     * @return the filter that was given up; empty if nothing was changed
     */
    Optional<String> takeBack(String subscription, String filter, Duration unheld, String node);

    /**
     * Removes a subscription with its cursors, its delivery rows and the records of what it has processed, so that one
     * of the same name begins afresh. The entry in the {@link Audit}, with how many were dropped, is written with it.
     */
    Removed remove(String subscription, By by, Removal removal);

    List<String> list();

    /**
     * What a registration did.
     *
     * @param created the subscription is new
     * @param ahead about how many events of the log a new subscription has before it; 0 if it is not new
     * @param replaced the filter that was in force until now, if this one differs
     * @param others live nodes that run the subscription with another filter than this one, if it was changed
     */
    record Registered(boolean created, long ahead, @Nullable String replaced, List<String> others) {
        /** There was one, with this filter. */
        public static final Registered FOUND = new Registered(false, 0, null, List.of());

        public Registered {
            others = List.copyOf(others);
        }
    }

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
    record Removed(boolean found, boolean done, long dead, long expired, long waiting, long pending) {
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

    /**
     * Refuses a name that could not be shown in a log line or by a console.
     *
     * @param whose such as {@code a subscription}
     */
    static void requireName(String whose, String name) {
        Objects.requireNonNull(name, () -> whose + "'s name is a text such as 'billing', got null");
        if (name.isBlank() || name.length() > Event.NAME_MAX) {
            throw new IllegalArgumentException(
                    whose + "'s name has 1 to " + Event.NAME_MAX + " characters, got '" + Printable.name(name) + "'");
        }
        if (!Printable.is(name)) {
            throw new IllegalArgumentException(whose + "'s name has no line breaks, control characters, marks of"
                    + " direction or halves of surrogate pairs, got '" + Printable.name(name)
                    + "' ('?' stands for them): choose a name of printable characters");
        }
    }

    /** The error that names the subscriptions there are. */
    static IllegalArgumentException unknown(String subscription, List<String> known) {
        return new IllegalArgumentException("there is no subscription '" + subscription + "'; "
                + (known.isEmpty()
                        ? "none is registered yet"
                        : "those registered are '" + String.join("', '", known) + "'"));
    }
}
