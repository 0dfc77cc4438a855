package io.postrider.operate;

import io.postrider.EventId;
import io.postrider.StoredEvent;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The operators' way in: looks at what became of events, and decides about those that did not get through. A node has
 * one; a process that runs no node makes its own on a store. Thread-safe.
 */
public final class Operator implements Operable {
    private final Operable store;
    private final Beside node;

    /** A node's knowledge beside its store's. */
    public interface Beside {
        /** The destinations of the node's subscriptions, as they stand. */
        List<DestinationStatus> destinations();

        /** The destination of an event, if it is down. */
        Optional<DestinationStatus> down(String subscription, StoredEvent event);

        /** A subscription was removed: what runs of it on the node ends. */
        void removed(String subscription);
    }

    /** Without a node: nothing is known of destinations. */
    private static final class NoNode implements Beside {
        @Override
        public List<DestinationStatus> destinations() {
            return List.of();
        }

        @Override
        public Optional<DestinationStatus> down(String subscription, StoredEvent event) {
            return Optional.empty();
        }

        @Override
        public void removed(String subscription) {}
    }

    private Operator(Operable store, Beside node) {
        this.store = store;
        this.node = node;
    }

    /** On a store alone. */
    public static Operator on(Operable store) {
        return on(store, new NoNode());
    }

    /** On a store, with what a node knows beside it. */
    public static Operator on(Operable store, Beside node) {
        return new Operator(Objects.requireNonNull(store, "an operator looks at a store, got null"), node);
    }

    @Override
    public String log() {
        return store.log();
    }

    @Override
    public Browse browse() {
        return store.browse();
    }

    @Override
    public Search search() {
        return store.search();
    }

    @Override
    public Operate operate() {
        return store.operate();
    }

    @Override
    public Operations operations() {
        return store.operations();
    }

    @Override
    public Audit audit() {
        return store.audit();
    }

    @Override
    public DeadEvents deadEvents() {
        return store.deadEvents();
    }

    /** The destinations of this node's subscriptions: which are down, since when and why. None without a node. */
    public List<DestinationStatus> destinations() {
        return node.destinations();
    }

    /**
     * Where an event stands in a subscription, as the store knows it; and beyond that, as this node does: that the
     * destination it waits for is down, or that transactions are open in which it may be.
     */
    public Why why(String subscription, EventId id) {
        if (id == null) {
            throw new IllegalArgumentException("why is asked of an event by its id, as append returns it; got none");
        }
        Why known = store.search().why(subscription, id);
        if (known instanceof Why.Unknown unknown && browse().subscriptions().contains(subscription)) {
            return browse().openAppends(1).stream()
                    .findFirst()
                    .<Why>map(unknown::orIn)
                    .orElse(known);
        }
        return known.waits() ? downOr(known, subscription, id) : known;
    }

    private Why downOr(Why known, String subscription, EventId id) {
        return store.search()
                .story(id)
                .flatMap(story -> node.down(subscription, story.event()))
                .<Why>map(down -> new Why.DestinationDown(
                        down.name(), Objects.requireNonNull(down.downSince()), String.valueOf(down.why()), known))
                .orElse(known);
    }

    /**
     * Removes a subscription with its cursors and records, for good; on this node it ends at once, and may be started
     * anew. Refused while it has dead, expired or waiting events.
     *
     * @throws IllegalArgumentException if there is none of this name, with those that there are
     * @throws IllegalStateException if it still has such events, with how many
     */
    public Removed remove(String subscription, By by) {
        return remove(subscription, by, Removal.UNLESS_ANY_LEFT);
    }

    /** The same, and says whether dead and waiting events may go with it; the audit tells how many did. */
    public Removed remove(String subscription, By by, Removal removal) {
        Removed removed = operate().remove(subscription, by, removal);
        if (!removed.found()) {
            throw Browse.unknown(subscription, browse().subscriptions());
        }
        if (!removed.done()) {
            throw new IllegalStateException("subscription '" + subscription + "' is not removed: it has "
                    + removed.dead() + " dead, " + removed.expired() + " expired and " + removed.waiting()
                    + " waiting events, and " + removed.pending() + " that its lanes have not come to. Let it deliver"
                    + " them, replay or discard those that are dead, or drop them with it by Removal.DROPPING");
        }
        node.removed(subscription);
        return removed;
    }
}
