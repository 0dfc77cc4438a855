package io.postrider.simulation;

/**
 * What a handler does with an event.
 *
 * @param times how many dispatches it does that for, in each subscription; from then on it takes the event
 */
record Behaviour(Kind kind, int times) {
    static final Behaviour TAKES = new Behaviour(Kind.TAKES, 0);
    static final int ALWAYS = Integer.MAX_VALUE;

    enum Kind {
        /** Returns after a moment. */
        TAKES,
        /** Returns after longer than {@code settleAfter}. */
        IS_SLOW,
        THROWS,
        /** Throws what no application should catch. */
        ERRS,
        /** Returns after longer than {@code handlerTimeout}, whatever the engine asks. */
        HANGS,
        /** Ends its process. */
        KILLS
    }

    static Behaviour errs(int times) {
        return new Behaviour(Kind.ERRS, times);
    }

    Kind at(int dispatch) {
        return dispatch <= times ? kind : Kind.TAKES;
    }
}
