package io.postrider.chaos;

/**
 * Nothing can be said about the engine: the harness itself went wrong, or the damage it was to do was not done. Never
 * the engine's failure, and never a success.
 */
final class Unmeasured extends Exception {
    private static final long serialVersionUID = 1;

    Unmeasured(String why) {
        super(why);
    }

    Unmeasured(String why, Throwable cause) {
        super(why, cause);
    }
}
