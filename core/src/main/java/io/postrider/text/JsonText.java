package io.postrider.text;

import java.nio.charset.StandardCharsets;

/**
 * Checks that text is one JSON value (RFC 8259), and nothing more: it builds nothing and shares nothing between
 * threads.
 *
 * <p>An append checks the text it is given, because a database that refuses it fails the caller's whole transaction.
 * Every append pays for that, so this is a loop over bytes and not a parser: beside 16 writers, the tokens of a parser
 * took 9 µs per KB of a transaction's 280.
 */
public final class JsonText {
    /** How deep arrays and objects may lie within each other; what reads payloads later has the same limit. */
    static final int NESTING_MAX = 500;

    private static final int END = -1;

    private final byte[] text;
    private final long[] objects = new long[NESTING_MAX / Long.SIZE + 1];
    private int depth;
    private int at;

    private JsonText(byte[] text) {
        this.text = text;
    }

    /** Throws {@link IllegalArgumentException} that says what is wrong, and where. */
    public static void requireValid(byte[] text) {
        new JsonText(text).document();
    }

    private void document() {
        skipSpace();
        if (at == text.length) {
            throw new IllegalArgumentException("it is empty");
        }
        do {
            value();
            while (depth > 0 && !separator()) {
                // a level was closed: the value that ended may be the last of the level above
            }
        } while (depth > 0);
        skipSpace();
        if (at < text.length) {
            throw unexpected("nothing after its JSON value");
        }
    }

    /** A scalar, or the beginning of an array or object up to where its first value is expected. */
    private void value() {
        while (true) {
            skipSpace();
            switch (peek()) {
                case '{' -> {
                    if (opened(true, '}')) {
                        return;
                    }
                    name();
                }
                case '[' -> {
                    if (opened(false, ']')) {
                        return;
                    }
                }
                default -> {
                    scalar();
                    return;
                }
            }
        }
    }

    /** True if it is closed at once. */
    private boolean opened(boolean object, char close) {
        if (depth == NESTING_MAX) {
            throw new IllegalArgumentException("it is nested more than " + NESTING_MAX + " deep");
        }
        at++;
        skipSpace();
        if (peek() == close) {
            at++;
            return true;
        }
        long bit = 1L << depth;
        int word = depth / Long.SIZE;
        objects[word] = object ? objects[word] | bit : objects[word] & ~bit;
        depth++;
        return false;
    }

    /** After a value: true if another is to follow, false if a level was closed. */
    private boolean separator() {
        boolean object = (objects[(depth - 1) / Long.SIZE] & 1L << (depth - 1)) != 0;
        skipSpace();
        int next = peek();
        if (next == ',') {
            at++;
            if (object) {
                skipSpace();
                name();
            }
            return true;
        }
        if (next != (object ? '}' : ']')) {
            throw unexpected(object ? "',' or '}'" : "',' or ']'");
        }
        at++;
        depth--;
        return false;
    }

    private void name() {
        if (peek() != '"') {
            throw unexpected("a name in quotes");
        }
        string();
        skipSpace();
        if (peek() != ':') {
            throw unexpected("':'");
        }
        at++;
    }

    private void scalar() {
        switch (peek()) {
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
    }

    private void string() {
        at++;
        while (at < text.length) {
            byte next = text[at];
            if (next == '"') {
                at++;
                return;
            }
            if (next == '\\') {
                escape();
            } else if (next >= 0 && next < ' ') {
                throw unexpected("no control character in a string");
            } else {
                at++;
            }
        }
        throw unexpected("a quote that ends the string");
    }

    private void escape() {
        at++;
        int next = peek();
        if (next != END && "\"\\/bfnrt".indexOf(next) >= 0) {
            at++;
            return;
        }
        if (next != 'u') {
            throw unexpected("an escape of JSON");
        }
        for (int digit = 0; digit < 4; digit++) {
            at++;
            if (Character.digit(peek(), 16) < 0) {
                throw unexpected("a hexadecimal digit");
            }
        }
        at++;
    }

    private void word(String expected) {
        for (int i = 0; i < expected.length(); i++, at++) {
            if (peek() != expected.charAt(i)) {
                throw unexpected("'" + expected + "'");
            }
        }
    }

    private void number() {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits("a value");
        }
        if (peek() == '.') {
            at++;
            digits("a digit");
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits("a digit");
        }
    }

    private void digits(String expected) {
        if (!isDigit(peek())) {
            throw unexpected(expected);
        }
        while (isDigit(peek())) {
            at++;
        }
    }

    private static boolean isDigit(int next) {
        return next >= '0' && next <= '9';
    }

    private void skipSpace() {
        while (at < text.length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
            at++;
        }
    }

    /** The next byte, or {@link #END}; a part of a longer character is never one that JSON knows. */
    private int peek() {
        return at < text.length ? text[at] & 0xFF : END;
    }

    private IllegalArgumentException unexpected(String expected) {
        int character = new String(text, 0, Math.min(at, text.length), StandardCharsets.UTF_8).length() + 1;
        return new IllegalArgumentException(
                "expected " + expected + (at < text.length ? " at character " + character : ", but it ends there"));
    }
}
