package io.postrider.text;

import io.postrider.Event;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Text of events for log lines and errors: on one line, of bounded length, and without characters that a terminal or a
 * log collector obeys. A key with a line break would otherwise write log lines of its own.
 */
public final class Printable {
    /** The most characters shown of a key, a type or a name: as many as one may have. */
    public static final int NAME_MAX = Event.NAME_MAX;

    /** The most characters shown of a reason. */
    private static final int REASON_MAX = 1_000;

    private Printable() {}

    /** A key, a type or a name. */
    public static String name(@Nullable String text) {
        return of(text, NAME_MAX);
    }

    /** The text of an error, which may repeat what an event says: one line, and not too long. */
    public static String reason(@Nullable String text) {
        return of(text, REASON_MAX);
    }

    /** The text's first {@code most} characters, each one that is not printable as {@code ?}. */
    public static String of(@Nullable String text, int most) {
        if (text == null) {
            return "null";
        }
        boolean whole = text.codePointCount(0, text.length()) <= most;
        int end = whole ? text.length() : text.offsetByCodePoints(0, most - 1);
        StringBuilder shown = new StringBuilder(end + 1);
        text.substring(0, end)
                .codePoints()
                .map(character -> isPrintable(character) ? character : '?')
                .forEach(shown::appendCodePoint);
        return whole ? shown.toString() : shown.append('…').toString();
    }

    /** Whether all characters of the text are printable. */
    public static boolean is(String text) {
        return text.codePoints().allMatch(Printable::isPrintable);
    }

    /** Not so: control characters, line and paragraph separators, halves of surrogate pairs, marks of direction. */
    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                false;
            case Character.FORMAT ->
                !(character >= 0x202A && character <= 0x202E || character >= 0x2066 && character <= 0x2069);
            default -> true;
        };
    }

    /**
     * Refuses a name that could not be shown in a log line or by a console.
     *
     * @param whose such as {@code a subscription}
     */
    public static void requireName(String whose, String name) {
        Objects.requireNonNull(name, () -> whose + "'s name is a text such as 'billing', got null");
        if (name.isBlank() || name.length() > Event.NAME_MAX) {
            throw new IllegalArgumentException(
                    whose + "'s name has 1 to " + Event.NAME_MAX + " characters, got '" + name(name) + "'");
        }
        if (!is(name)) {
            throw new IllegalArgumentException(whose + "'s name has no line breaks, control characters, marks of"
                    + " direction or halves of surrogate pairs, got '" + name(name)
                    + "' ('?' stands for them): choose a name of printable characters");
        }
    }
}
