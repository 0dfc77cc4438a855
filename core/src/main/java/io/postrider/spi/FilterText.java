package io.postrider.spi;

import io.postrider.Event;
import io.postrider.TypePattern;
import java.util.Arrays;

/**
 * A subscription's filter as it is stored: its type patterns, sorted, with a space between them. Patterns may have
 * spaces themselves, so that a type with a space is compared with every run of words; then the answer may be yes where
 * the engine says no, and never the other way round.
 */
public record FilterText(String text) {

    /** Whether the engine would dispatch an event of this type. A filter that says nothing leaves nothing out. */
    public boolean takes(String type) {
        if (text.isBlank()) {
            return true;
        }
        String[] words = text.split(" ");
        int longest = type.indexOf(' ') < 0 ? 1 : words.length;
        for (int from = 0; from < words.length; from++) {
            for (int to = from + 1; to <= Math.min(words.length, from + longest); to++) {
                if (matches(String.join(" ", Arrays.copyOfRange(words, from, to)), type)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean matches(String pattern, String type) {
        return !pattern.isBlank()
                && pattern.length() <= Event.NAME_MAX
                && TypePattern.compile(pattern).matcher(type).matches();
    }
}
