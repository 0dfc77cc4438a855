package io.postrider.text;

import java.util.List;
import java.util.Map;

/** Writes small JSON objects, in the order in which their members are put. Not thread-safe. */
public final class JsonObject {
    private final StringBuilder text = new StringBuilder("{");

    public JsonObject put(String name, String value) {
        name(name);
        quote(text, value);
        return this;
    }

    public JsonObject put(String name, long value) {
        name(name);
        text.append(value);
        return this;
    }

    public JsonObject put(String name, Map<String, String> values) {
        return raw(name, of(values));
    }

    /** A member whose value is JSON already. */
    public JsonObject raw(String name, String json) {
        name(name);
        text.append(json);
        return this;
    }

    private void name(String name) {
        if (text.length() > 1) {
            text.append(',');
        }
        quote(text, name);
        text.append(':');
    }

    /** An object of these texts. */
    public static String of(Map<String, String> values) {
        JsonObject object = new JsonObject();
        values.forEach(object::put);
        return object.toString();
    }

    /** What {@link JsonTree#read} has read, as compact JSON text. */
    public static String written(Object value) {
        StringBuilder text = new StringBuilder();
        write(text, value);
        return text.toString();
    }

    private static void write(StringBuilder text, Object value) {
        if (value instanceof Map<?, ?> members) {
            JsonObject object = new JsonObject();
            members.forEach((name, member) -> object.raw(String.valueOf(name), written(member)));
            text.append(object);
        } else if (value instanceof List<?> elements) {
            text.append('[');
            for (int i = 0; i < elements.size(); i++) {
                write(i == 0 ? text : text.append(','), elements.get(i));
            }
            text.append(']');
        } else if (value instanceof String string) {
            quote(text, string);
        } else {
            text.append(value);
        }
    }

    private static void quote(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char next = value.charAt(i);
            switch (next) {
                case '"', '\\' -> text.append('\\').append(next);
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (next < ' ') {
                        text.append(String.format("\\u%04x", (int) next));
                    } else {
                        text.append(next);
                    }
                }
            }
        }
        text.append('"');
    }

    /** The JSON text. */
    @Override
    public String toString() {
        return text + "}";
    }
}
