package io.postrider.postgres;

import java.util.Locale;
import java.util.Set;

/** The word that an SQL text begins with, behind white space, comments and empty statements, in upper case. */
final class FirstWord {
    /** PREPARE is one of them as PREPARE TRANSACTION; no prepared statement is made by SQL here. */
    private static final Set<String> OF_TRANSACTIONS =
            Set.of("BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "PREPARE");

    private FirstWord() {}

    /** Whether the text begins or ends a transaction by itself. */
    static boolean isOfTransaction(String sql) {
        return OF_TRANSACTIONS.contains(of(sql));
    }

    static String of(String sql) {
        int from = 0;
        for (int next = skip(sql, from); next != from; next = skip(sql, from)) {
            from = next;
        }
        int end = from;
        while (end < sql.length() && isPart(sql.charAt(end))) {
            end++;
        }
        return sql.substring(from, end).toUpperCase(Locale.ROOT);
    }

    private static boolean isPart(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }

    /** Behind one blank, semicolon or comment; the same place where none is. */
    private static int skip(String sql, int from) {
        if (sql.startsWith("--", from)) {
            int end = sql.indexOf('\n', from);
            return end < 0 ? sql.length() : end + 1;
        }
        if (sql.startsWith("/*", from)) {
            return skipNested(sql, from + 2);
        }
        boolean empty = from < sql.length() && (Character.isWhitespace(sql.charAt(from)) || sql.charAt(from) == ';');
        return empty ? from + 1 : from;
    }

    /** PostgreSQL nests comments. */
    private static int skipNested(String sql, int from) {
        int depth = 1;
        int at = from;
        while (at < sql.length() && depth > 0) {
            boolean opens = sql.startsWith("/*", at);
            boolean closes = sql.startsWith("*/", at);
            depth += opens ? 1 : closes ? -1 : 0;
            at += opens || closes ? 2 : 1;
        }
        return at;
    }
}
