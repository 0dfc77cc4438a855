package io.postrider.webhook;

import io.postrider.Headers;
import io.postrider.wire.Message;
import io.postrider.wire.Percent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How the headers of a message are written as those of HTTP: under {@code postrider-} and their name, except trace
 * context, CloudEvents attributes and the content type, which have names of their own. What HTTP does not allow in a
 * value is percent-encoded, as CloudEvents does it.
 */
final class HeaderFields {
    static final String ID = "webhook-id";
    static final String TIMESTAMP = "webhook-timestamp";
    static final String SIGNATURE = "webhook-signature";

    private static final String PREFIX = "postrider-";
    private static final String CLOUD_EVENTS = "ce-";
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7E]([\\x20-\\x7E\\t]*[\\x21-\\x7E])?");
    /** Names come in any case: these are written as everyone knows them. */
    private static final Map<String, String> KNOWN = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    static {
        List.of(Headers.CORRELATION_ID, Headers.CAUSATION_ID, Headers.USER_ID, Headers.REPLAY_OF, Headers.MESSAGE_ID)
                .forEach(name -> KNOWN.put(name, name));
    }

    private HeaderFields() {}

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    static boolean isValue(String value) {
        return VALUE.matcher(value).matches();
    }

    /** Whether a lower-case name is one that the destination writes. */
    static boolean isReserved(String name) {
        return name.startsWith("webhook-") || name.startsWith(PREFIX) || name.startsWith(CLOUD_EVENTS);
    }

    static Map<String, String> write(Message message) {
        Map<String, String> fields = new LinkedHashMap<>();
        message.headers().forEach((name, value) -> {
            if (isTrace(name) || name.equals(Message.CONTENT_TYPE)) {
                fields.put(name, isValue(value) ? value : Percent.encode(value));
            } else if (name.startsWith(CLOUD_EVENTS)) {
                fields.put(name, value); // encoded already
            } else {
                fields.put(PREFIX + encodeName(name), Percent.encode(value));
            }
        });
        return fields;
    }

    /** The headers of a message, from those of HTTP. */
    static Map<String, String> read(Map<String, String> fields) {
        Map<String, String> headers = new LinkedHashMap<>();
        fields.forEach((field, value) -> {
            String name = field.toLowerCase(Locale.ROOT);
            if (isTrace(name) || name.equals(Message.CONTENT_TYPE) || name.startsWith(CLOUD_EVENTS)) {
                headers.put(name, value);
            } else if (name.startsWith(PREFIX)) {
                String own = Percent.decode(field.substring(PREFIX.length()));
                headers.put(KNOWN.getOrDefault(own, own), Percent.decode(value));
            }
        });
        return headers;
    }

    private static boolean isTrace(String name) {
        return name.equals(Headers.TRACEPARENT) || name.equals(Headers.TRACESTATE);
    }

    private static String encodeName(String name) {
        return Percent.encode(name, c -> isName(String.valueOf((char) c)));
    }

    /** Text from elsewhere, fit to be shown and stored: whatever steers a terminal or a database is a space. */
    static String visible(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+", " ").strip();
    }
}
