package io.postrider.text;

import io.postrider.Event;
import io.postrider.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Which texts an event may have. Stores of other languages refuse the same, with the same sentences: for PostgreSQL see
 * its function {@code require_event}, whose sentence about a blank key or tenant ends with the length alone. No
 * sentence has a payload or a header's value.
 */
public final class EventText {
    /** How much of a type an error shows. */
    private static final int SHOWN = 40;

    private EventText() {}

    /** Which characters count as blank. */
    private interface Blank {
        boolean is(char next);
    }

    public static void requireEvent(String type, @Nullable String key, @Nullable String tenant, Headers headers) {
        require(type, key, tenant, headers, EventText::isBlank);
    }

    /** A log may have events from a time when only the blanks of ASCII were refused. */
    public static void requireLogged(String type, @Nullable String key, @Nullable String tenant, Headers headers) {
        require(type, key, tenant, headers, next -> next <= ' ');
    }

    private static void require(
            String type, @Nullable String key, @Nullable String tenant, Headers headers, Blank blank) {
        requireType(type, blank);
        requireName("key", key, blank);
        requireName("tenant", tenant, blank);
        requireHeaders(headers);
    }

    /** White space of all scripts, spaces that do not break and control characters. */
    private static boolean isBlank(char next) {
        return next < 0x7F ? next <= ' ' : Character.isISOControl(next) || Character.isSpaceChar(next);
    }

    /** Whether nothing but blanks is in the text. */
    public static boolean isBlank(String text) {
        return isBlank(text, EventText::isBlank);
    }

    private static boolean isBlank(String text, Blank blank) {
        return text.chars().allMatch(next -> blank.is((char) next));
    }

    /** A type has nothing that means something in a pattern, in a list of patterns, or in a broker's subject. */
    private static void requireType(@Nullable String type, Blank blank) {
        if (type == null || type.isEmpty() || !hasAtMost(type, Event.NAME_MAX) || hasReserved(type, blank)) {
            throw new IllegalArgumentException("an event's type has 1 to " + Event.NAME_MAX
                    + " characters, none of them blank, a control character, '*' or '>', got "
                    + (type == null ? "none" : "'" + Printable.name(abbreviate(type)) + "'"));
        }
        requireWhole("an event's type has", type);
    }

    private static boolean hasReserved(String type, Blank blank) {
        for (int i = 0; i < type.length(); i++) {
            char next = type.charAt(i);
            if (next == '*' || next == '>' || blank.is(next)) {
                return true;
            }
        }
        return false;
    }

    private static void requireName(String what, @Nullable String name, Blank blank) {
        if (name == null) {
            return;
        }
        if (isBlank(name, blank) || !hasAtMost(name, Event.NAME_MAX)) {
            throw new IllegalArgumentException("an event's " + what + " has 1 to " + Event.NAME_MAX
                    + " characters, not all of them blank, got " + length(name));
        }
        requireWhole("an event's " + what + " has", name);
    }

    private static String length(String name) {
        int characters = name.codePointCount(0, name.length());
        if (characters == 0) {
            return "an empty text";
        }
        return isBlank(name) ? characters + ", all of them blank" : String.valueOf(characters);
    }

    private static void requireHeaders(Headers headers) {
        if (headers.values().size() > Headers.COUNT_MAX) {
            throw new IllegalArgumentException("an event has at most " + Headers.COUNT_MAX + " headers, got "
                    + headers.values().size());
        }
        headers.values().forEach(EventText::requireHeader);
        if (headers.bytes() > Headers.BYTES_MAX) {
            throw new IllegalArgumentException(
                    "an event's headers have at most " + Headers.BYTES_MAX + " bytes, got " + headers.bytes());
        }
    }

    private static void requireHeader(String name, String value) {
        if (!hasAtMost(name, Headers.NAME_MAX)) {
            throw new IllegalArgumentException("a header's name has 1 to " + Headers.NAME_MAX + " characters, got "
                    + name.codePointCount(0, name.length()));
        }
        int most = name.equals(Headers.USER_ID) || name.equals(Headers.CORRELATION_ID)
                ? Headers.ID_MAX
                : Headers.VALUE_MAX;
        if (!hasAtMost(value, most)) {
            throw new IllegalArgumentException("the header '" + Printable.name(name) + "' has at most " + most
                    + " characters, got " + value.codePointCount(0, value.length()));
        }
        requireWhole("an event's headers have", name);
        requireWhole("an event's headers have", value);
    }

    /** PostgreSQL has no NUL in a text, and nobody has an encoding for half of a surrogate pair. */
    private static void requireWhole(String what, String text) {
        if (text.indexOf('\0') >= 0 || hasHalfPair(text)) {
            throw new IllegalArgumentException(what + " a NUL or half of a surrogate pair");
        }
    }

    public static boolean hasHalfPair(String text) {
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (Character.isSurrogate(next)) {
                boolean pair = Character.isHighSurrogate(next)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    private static boolean hasAtMost(String text, int characters) {
        return text.length() <= characters || text.codePointCount(0, text.length()) <= characters;
    }

    private static String abbreviate(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}
