package io.postrider;

import java.util.Objects;

/** The content of an event: a value that is still to be encoded, or the JSON text it became. */
public sealed interface Payload {

    /** JSON text, taken as it is; the store refuses what is not JSON. */
    static Payload json(String text) {
        return new Json(text);
    }

    /**
     * Any value the {@link Codec} can write, a {@code String} as a JSON string; a {@link Payload} is taken as it is.
     */
    static Payload of(Object value) {
        return value instanceof Payload payload ? payload : new Value(value);
    }

    /** JSON text. */
    record Json(String text) implements Payload {
        public Json {
            Objects.requireNonNull(text, "an event's payload is JSON text, got null; JSON's own null is a text too");
        }
    }

    /** A value, encoded when the event is appended. */
    record Value(Object value) implements Payload {
        public Value {
            Objects.requireNonNull(value, "an event's payload is a value that a codec can write, got null");
        }
    }
}
