package io.postrider.redis;

import io.postrider.wire.Message;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A message as the fields of a stream's entry: {@code id}, {@code type}, {@code key}, {@code tenant}, {@code time} and
 * {@code content-type} under their names, every other header behind {@code h:}, and the body as {@code body}.
 */
final class StreamFields {
    static final String BODY = "body";
    private static final String OTHER = "h:";
    private static final Set<String> NAMED =
            Set.of(Message.ID, Message.TYPE, Message.KEY, Message.TENANT, Message.TIME, Message.CONTENT_TYPE);

    private StreamFields() {}

    static Map<String, byte[]> write(Message message) {
        Map<String, byte[]> fields = new LinkedHashMap<>();
        message.headers()
                .forEach((name, value) ->
                        fields.put(NAMED.contains(name) ? name : OTHER + name, value.getBytes(StandardCharsets.UTF_8)));
        fields.put(BODY, message.body());
        return fields;
    }

    /** @throws IllegalArgumentException if it has no body, so that it is nobody's message */
    static Message read(Map<String, byte[]> fields) {
        byte[] body = fields.get(BODY);
        if (body == null) {
            throw new IllegalArgumentException("the entry has no field '" + BODY + "', only " + fields.keySet());
        }
        Map<String, String> headers = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            if (name.startsWith(OTHER)) {
                headers.putIfAbsent(name.substring(OTHER.length()), text(value));
            } else if (NAMED.contains(name)) {
                headers.put(name, text(value));
            }
        });
        return new Message(headers, body);
    }

    /** Everything as headers, of an entry that is nobody's message: nothing of it is to be lost. */
    static Message asTheyAre(Map<String, byte[]> fields) {
        Map<String, String> headers = new LinkedHashMap<>();
        fields.forEach((name, value) -> headers.put(name, text(value)));
        return new Message(headers, new byte[0]);
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }
}
