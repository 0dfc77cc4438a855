package io.postrider.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What travels: headers and a body. How a header is written is the transport's affair, its name is the same everywhere.
 *
 * <p>Beside the names below, each header of the event travels under its own name: {@code correlationId},
 * {@code traceparent}, … One of an event's own headers that has a name of below does not travel.
 */
public record Message(Map<String, String> headers, byte[] body) {
    /** The event's id. */
    public static final String ID = "id";
    /** The event's type. */
    public static final String TYPE = "type";
    /** The event's key, if it has one. */
    public static final String KEY = "key";
    /** The event's tenant, if it has one. */
    public static final String TENANT = "tenant";
    /** When it was appended. */
    public static final String TIME = "time";
    /** What the body is, as a media type. */
    public static final String CONTENT_TYPE = "content-type";

    public Message {
        headers = HeaderTable.copyOf(headers);
    }

    public @Nullable String header(String name) {
        return headers.get(name);
    }
}
