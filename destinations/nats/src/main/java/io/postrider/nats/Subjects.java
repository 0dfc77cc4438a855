package io.postrider.nats;

import org.jspecify.annotations.Nullable;

/**
 * The grammar of subjects: tokens between dots; in a pattern {@code *} stands for one token, {@code >} for the rest.
 */
final class Subjects {
    private Subjects() {}

    /** Why nothing can be published to this subject, or null if it can. */
    static @Nullable String illegal(String subject, boolean unicode) {
        String form = malformed(subject, unicode);
        if (form != null) {
            return form;
        }
        for (String token : subject.split("\\.", -1)) {
            if (token.equals("*") || token.equals(">")) {
                return "it has the wildcard '" + token + "'";
            }
        }
        return null;
    }

    /**
     * Why this is no pattern of subjects, or null if it is one. To NATS a {@code *} within a token is a character like
     * any other, and a pattern with {@code **} takes nothing: whoever writes it means something else.
     */
    static @Nullable String illegalPattern(String pattern) {
        String form = malformed(pattern, true);
        if (form != null) {
            return form;
        }
        for (String token : pattern.split("\\.", -1)) {
            if (token.length() > 1 && (token.contains("*") || token.contains(">"))) {
                return "'" + token + "' is no wildcard of NATS: those are '*' for one token and '>' for the rest, as in"
                        + " 'orders.>'";
            }
        }
        int rest = pattern.indexOf('>');
        return rest >= 0 && rest < pattern.length() - 1 ? "'>' stands for the rest, and something follows it" : null;
    }

    private static @Nullable String malformed(String subject, boolean unicode) {
        if (subject.isEmpty()) {
            return "it is empty";
        }
        if (subject.startsWith(".") || subject.endsWith(".") || subject.contains("..")) {
            return "it has an empty token: a dot too many";
        }
        for (int i = 0; i < subject.length(); i++) {
            char c = subject.charAt(i);
            if (c <= ' ' || c == 0x7F) {
                return "it has a space or control character at " + i;
            }
            if (c > 0x7F && !unicode) {
                return "it has a character outside ASCII at " + i;
            }
        }
        return null;
    }

    /** Whether the pattern takes everything that the other pattern or subject stands for. */
    static boolean covers(String pattern, String other) {
        String[] mine = pattern.split("\\.", -1);
        String[] its = other.split("\\.", -1);
        for (int i = 0; i < mine.length; i++) {
            if (mine[i].equals(">")) {
                return i < its.length;
            }
            if (i >= its.length || its[i].equals(">") || (!mine[i].equals("*") && !mine[i].equals(its[i]))) {
                return false;
            }
        }
        return mine.length == its.length;
    }

    /** Whether there is a subject that both take. */
    static boolean overlap(String pattern, String other) {
        String[] mine = pattern.split("\\.", -1);
        String[] its = other.split("\\.", -1);
        for (int i = 0; i < Math.min(mine.length, its.length); i++) {
            if (mine[i].equals(">") || its[i].equals(">")) {
                return true;
            }
            if (!mine[i].equals("*") && !its[i].equals("*") && !mine[i].equals(its[i])) {
                return false;
            }
        }
        return mine.length == its.length;
    }
}
