package io.postrider.wire;

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
            return Percent.encode(value);
        }

        @Override
        String read(String value) {
            return Percent.decode(unquote(value));
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

    private static String unquote(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1") : value;
    }
}
