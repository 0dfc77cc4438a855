package io.postrider.postgres;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of SQL, taken apart into its statements. PostgreSQL would run the file in one piece too, but an error would
 * then have no line.
 */
final class SqlScript {
    private final String text;
    private final List<Part> parts = new ArrayList<>();
    private int from;
    private int at;
    private boolean blank = true;

    /** A statement without its semicolon, and the line in the file on which it begins. */
    record Part(int line, String sql) {}

    private SqlScript(String text) {
        this.text = text;
    }

    static List<Part> parts(String text) {
        return new SqlScript(text).split();
    }

    private List<Part> split() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (text.startsWith("--", at)) {
                skipTo("\n", at + 2);
            } else if (text.startsWith("/*", at)) {
                skipTo("*/", at + 2);
            } else if (c == ';') {
                end();
            } else {
                token(c);
            }
        }
        end();
        return parts;
    }

    private void token(char c) {
        if (blank && !Character.isWhitespace(c)) {
            blank = false;
            from = at;
        }
        if (c == '\'' || c == '"') {
            skipTo(String.valueOf(c), at + 1); // a doubled quote ends one literal and begins the next
        } else if (c == '$' && dollarTag() != null) {
            String tag = dollarTag();
            skipTo(tag, at + tag.length());
        } else {
            at++;
        }
    }

    /** {@code $$} or {@code $name$} here; null for a parameter or a name that merely has a dollar in it. */
    private @Nullable String dollarTag() {
        boolean inName = at > 0 && Character.isJavaIdentifierPart(text.charAt(at - 1));
        int end = at + 1;
        while (end < text.length() && isTagPart(text.charAt(end))) {
            end++;
        }
        boolean tag =
                !inName && end < text.length() && text.charAt(end) == '$' && !Character.isDigit(text.charAt(at + 1));
        return tag ? text.substring(at, end + 1) : null;
    }

    private static boolean isTagPart(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }

    private void skipTo(String end, int start) {
        int found = text.indexOf(end, start);
        at = found < 0 ? text.length() : found + end.length();
    }

    private void end() {
        if (!blank) {
            int line = 1
                    + (int) text.substring(0, from)
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            parts.add(new Part(line, text.substring(from, at).strip()));
        }
        blank = true;
        at++;
    }
}
