package io.postrider.simulation;

import java.util.List;

/** A subscription of the simulation. */
enum Subscribed {
    /** Handlers, every event, ordered. */
    HANDLERS("handlers", true, true),
    /** A destination that answers later, only parcels and from version 1 on letters too, ordered. */
    DESTINATION("destination", true, false),
    /** Handlers, every event, in any order. */
    ANY_ORDER("any-order", false, true),
    /** Handlers with effects in the store, every event, in any order; not in every plan. */
    EFFECTS("effects", false, true),
    /** Handlers whose effects commit with the settlement, every event, ordered; not in every plan. */
    WITH_EFFECT("with-effect", true, true),
    /** A queue of tasks, only parcels and from version 1 on letters too; not in every plan. */
    QUEUE("queue", false, false);

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

    /** Whether every version of it takes these. */
    boolean takes(String type) {
        return takes(type, 0);
    }

    boolean takes(String type, int version) {
        return letters || type.startsWith("parcel.") || (version > 0 && type.startsWith("letter."));
    }

    /** Its patterns in a version. */
    List<String> patterns(int version) {
        if (letters) {
            return List.of("**");
        }
        return version == 0 ? List.of("parcel.*") : List.of("parcel.*", "letter.*");
    }
}
