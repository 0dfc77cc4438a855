package io.postrider;

/**
 * Makes JSON of payloads, and payloads of JSON. Jackson 3 is the default; with a codec of the application's own, the
 * engine and the stores need no Jackson on the class path. Thread-safe.
 *
 * @see JacksonCodec
 */
public interface Codec {

    /**
     * The value as JSON text.
     *
     * @throws IllegalArgumentException if it cannot be written; the message says why
     */
    String encode(Object value);

    /**
     * The value of a JSON text, which may be null.
     *
     * @throws UnreadableException if the text is no such value: its message goes to logs, and should not quote the text
     */
    <P> P decode(String json, Class<P> type);
}
