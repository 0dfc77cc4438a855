package io.postrider.store;

import io.postrider.policy.Start;
import java.time.Duration;
import java.util.List;
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
}
