package io.postrider;

import java.util.regex.Pattern;

/**
 * Which event types a handler takes: a name, or a pattern in which {@code *} stands for anything but a dot and
 * {@code **} for anything.
 */
public record TypePattern(String text) {

    public TypePattern {
        if (text.isBlank() || text.length() > Event.NAME_MAX) {
            throw new IllegalArgumentException(
                    "a type pattern has 1 to " + Event.NAME_MAX + " characters, got '" + text + "'");
        }
    }

    public boolean isExact() {
        return text.indexOf('*') < 0;
    }

    /** The pattern as a regular expression over the whole type. */
    public Pattern compile() {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '*') {
                regex.append(Pattern.quote(String.valueOf(c)));
            } else if (text.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else {
                regex.append("[^.]*");
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
