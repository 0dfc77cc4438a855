package io.postrider.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Attributes of CloudEvents as headers: how their names begin, and how values are written. */
enum CloudEventHeaders {
    /** HTTP and NATS: what is no visible ASCII is percent-encoded. */
    PERCENT("ce-") {
        @Override
        String write(String value) {
            return encode(value);
        }

        @Override
        String read(String value) {
            return decode(unquote(value));
        }
    },
    /** Kafka: UTF-8 as it is. */
    RAW("ce_") {
        @Override
        String write(String value) {
            return value;
        }

        @Override
        String read(String value) {
            return value;
        }
    };

    private final String prefix;

    CloudEventHeaders(String prefix) {
        this.prefix = prefix;
    }

    abstract String write(String value);

    abstract String read(String value);

    static CloudEventHeaders of(String prefix) {
        for (CloudEventHeaders headers : values()) {
            if (headers.prefix.equals(prefix)) {
                return headers;
            }
        }
        throw new IllegalArgumentException("CloudEvents headers begin with 'ce-' or 'ce_', got '" + prefix + "'");
    }

    /** Those in which this message has a CloudEvent, or null. Names are compared as HTTP does, in any case. */
    static @Nullable CloudEventHeaders in(Message message) {
        for (CloudEventHeaders headers : values()) {
            String version = headers.prefix + CloudEvent.SPEC_VERSION;
            if (message.headers().keySet().stream().anyMatch(version::equalsIgnoreCase)) {
                return headers;
            }
        }
        return null;
    }

    String name(String attribute) {
        return prefix + attribute;
    }

    /** The attributes that are in these headers. */
    Map<String, String> attributes(Map<String, String> headers) {
        Map<String, String> attributes = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.startsWith(prefix)) {
                attributes.put(lower.substring(prefix.length()), read(value));
            }
        });
        return attributes;
    }

    private static String encode(String value) {
        StringBuilder encoded = new StringBuilder(value.length() + 16);
        for (byte one : value.getBytes(StandardCharsets.UTF_8)) {
            boolean visible = one > ' ' && one < 0x7F && one != '"' && one != '%';
            if (visible) {
                encoded.append((char) one);
            } else {
                encoded.append(String.format(Locale.ROOT, "%%%02X", one & 0xFF));
            }
        }
        return encoded.toString();
    }

    /** Also what was not encoded as it should have been: a percent sign without two digits is one. */
    private static String decode(String value) {
        if (value.indexOf('%') < 0) {
            return value;
        }
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(value.length());
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            int high = i + 2 < bytes.length && bytes[i] == '%' ? Character.digit(bytes[i + 1], 16) : -1;
            int low = high >= 0 ? Character.digit(bytes[i + 2], 16) : -1;
            decoded.write(low >= 0 ? high << 4 | low : bytes[i]);
            i += low >= 0 ? 2 : 0;
        }
        return decoded.toString(StandardCharsets.UTF_8);
    }

    private static String unquote(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1") : value;
    }
}
