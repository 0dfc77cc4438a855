package io.postrider.store;

/**
 * How far a lane of a subscription has been read, or a watch has looked. A cursor is a value of the store that made it:
 * the engine keeps it, settles it and hands it back, and only the store knows what has to be remembered so that nothing
 * is lost. {@link Page#after} makes the next one.
 *
 * <p>Implementations are immutable, and equal when they are the same place.
 */
public interface Cursor {

    /** The highest position that has been read: no event above it was handled, and some at or below it may be late. */
    long position();

    /** No event that was not handled is, or will ever be, at or below this position. */
    long floor();

    /** What a settlement of {@code next} brings, where nothing else has to be settled. */
    Progress to(Cursor next);

    /** Whether a cursor is worth a settlement of its own. */
    enum Progress {
        /** Both cursors are the same place. */
        NONE,
        /**
         * The next cursor is further; a settlement now and then is enough, so that a quiet lane does not hold prune
         * back.
         */
        SOME,
        /** The next read goes on where this step has led, and has to find it settled. */
        STEP
    }
}
