package io.postrider.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads small JSON texts into maps, lists, texts and {@linkplain Literal literals}, so that headers can be read where
 * an application has no Jackson.
 */
public final class JsonTree {
    private final String text;
    private int at;

    private JsonTree(String text) {
        this.text = text;
    }

    /** A value that is neither text nor collection: a number as it was written, {@code true}, {@code false}, null. */
    public record Literal(String text) {
        public static final Literal NULL = new Literal("null");

        /** As in JSON. */
        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * The value of a text.
     *
     * @throws IllegalArgumentException if it is not JSON
     */
    public static Object read(String text) {
        JsonText.requireValid(text.getBytes(StandardCharsets.UTF_8));
        return new JsonTree(text).value();
    }

    private Object value() {
        skipSpace();
        return switch (text.charAt(at)) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            default -> literal();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        while (!closes('}')) {
            String name = string();
            skipSpace();
            at++; // the colon
            members.put(name, value());
        }
        return members;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        at++;
        while (!closes(']')) {
            elements.add(value());
        }
        return elements;
    }

    /** Passes a comma, or the end. */
    private boolean closes(char end) {
        skipSpace();
        if (text.charAt(at) == ',') {
            at++;
            skipSpace();
        }
        boolean closes = text.charAt(at) == end;
        at += closes ? 1 : 0;
        return closes;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        at++;
        while (text.charAt(at) != '"') {
            string.append(text.charAt(at) == '\\' ? escaped() : text.charAt(at));
            at++;
        }
        at++;
        return string.toString();
    }

    private char escaped() {
        at++;
        char escape = text.charAt(at);
        return switch (escape) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
            }
            default -> escape;
        };
    }

    private Object literal() {
        int from = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return new Literal(text.substring(from, at));
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }
}
