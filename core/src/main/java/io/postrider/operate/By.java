package io.postrider.operate;

import io.postrider.Event;

/** The person or program that decides something, and the reason: both are on record with every decision. */
public record By(String who, String why) {
    /** The longest reason kept, in characters. */
    public static final int WHY_MAX = 1_000;

    public By {
        if (who.isBlank() || who.length() > Event.NAME_MAX) {
            throw new IllegalArgumentException(
                    "the name of the one who decides has 1 to " + Event.NAME_MAX + " characters, got '" + who + "'");
        }
        if (why.length() > WHY_MAX) {
            throw new IllegalArgumentException("a reason has at most " + WHY_MAX + " characters, got " + why.length());
        }
    }
}
