package io.postrider.simulation;

/** A subscription of the simulation. */
enum Subscribed {
    /** Handlers, every event, ordered. */
    HANDLERS("handlers", true, true),
    /** A destination that answers later, only parcels, ordered. */
    DESTINATION("destination", true, false),
    /** Handlers, every event, in any order. */
    ANY_ORDER("any-order", false, true),
    /** Handlers with effects in the store, every event, in any order; not in every plan. */
    EFFECTS("effects", false, true);

    private final String subscription;
    private final boolean ordered;
    private final boolean letters;

    Subscribed(String subscription, boolean ordered, boolean letters) {
        this.subscription = subscription;
        this.ordered = ordered;
        this.letters = letters;
    }

    String subscription() {
        return subscription;
    }

    boolean ordered() {
        return ordered;
    }

    boolean takes(String type) {
        return letters || type.startsWith("parcel.");
    }
}
