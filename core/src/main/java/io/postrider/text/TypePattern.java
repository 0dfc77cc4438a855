package io.postrider.text;

import io.postrider.Event;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Which event types a handler takes: a name, or a pattern in which {@code *} stands for anything but a dot. A first or
 * last part {@code **} stands for anything: {@code order.**}, {@code **.failed}, or {@code **} alone for every type.
 */
public record TypePattern(String text) {
    private static final String FORMS =
            ". A pattern is a name such as 'order.placed', or has '*' for anything but a dot:"
                    + " 'order.*'; or '**' as its whole first or last part for anything: 'order.**', '**.failed', '**'";

    public TypePattern {
        Objects.requireNonNull(text, "a type pattern is a name such as 'order.placed' or 'order.*', got null");
        if (text.isBlank() || text.length() > Event.NAME_MAX) {
            throw new IllegalArgumentException(
                    "a type pattern has 1 to " + Event.NAME_MAX + " characters, got '" + text + "'" + FORMS);
        }
        if (text.chars().anyMatch(Character::isWhitespace)) {
            throw refusal(
                    text,
                    "has a blank; a subscription's filter is stored as patterns with blanks between them,"
                            + " so write '*' where a type has one");
        }
        if (text.startsWith("#")) {
            throw refusal(
                    text,
                    "begins with '#', as do the marks for queues and blocked keys in a stored filter;"
                            + " write '*' where a type begins so");
        }
        List<String> parts = List.of(text.split("\\.", -1));
        for (int i = 0; i < parts.size(); i++) {
            check(text, parts.get(i), i == 0 || i == parts.size() - 1);
        }
    }

    private static void check(String text, String part, boolean atAnEnd) {
        if (part.isEmpty()) {
            throw refusal(text, "has an empty part; write one dot between two parts and none at the ends");
        }
        if (part.equals(">") || part.equals("#")) {
            throw refusal(text, "has '" + part + "', a wildcard of brokers; write '**' for everything that follows");
        }
        if (part.contains("**") && !(atAnEnd && part.equals("**"))) {
            throw refusal(
                    text, "has '**' inside; write '*' for one part, and '**' only as the whole first or last part");
        }
    }

    private static IllegalArgumentException refusal(String text, String why) {
        return new IllegalArgumentException("the type pattern '" + text + "' " + why + FORMS);
    }

    public boolean isExact() {
        return text.indexOf('*') < 0;
    }

    /** The pattern as a regular expression over the whole type. */
    public Pattern compile() {
        return compile(text);
    }

    /** The same for text that nobody has checked, such as words of a filter that is stored. */
    public static Pattern compile(String text) {
        StringBuilder regex = new StringBuilder();
        int[] points = text.codePoints().toArray(); // half a character, quoted by itself, matches no type
        for (int i = 0; i < points.length; i++) {
            if (points[i] != '*') {
                regex.append(Pattern.quote(Character.toString(points[i])));
            } else if (i + 1 < points.length && points[i + 1] == '*') {
                regex.append(".*");
                i++;
            } else {
                regex.append("[^.]*");
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
