package io.postrider.wire;

import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Payload;
import io.postrider.StoredEvent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A CloudEvent 1.0: its attributes, extensions among them, and its data as JSON text.
 *
 * <p>Which of two messages is the same is said by id and source together. An id that is a UUID says it alone.
 */
record CloudEvent(Map<String, String> attributes, String data) {
    static final String SPEC_VERSION = "specversion";

    private static final String ID = "id";
    private static final String SOURCE = "source";
    private static final String TYPE = "type";
    private static final String SUBJECT = "subject";
    private static final String PARTITION_KEY = "partitionkey";
    private static final String TIME = "time";
    private static final String DATA_TYPE = "datacontenttype";
    private static final String TENANT = "tenant";
    private static final String JSON = "application/json";

    /** What has a place of its own in an event, or in the message. */
    private static final Set<String> PLACED =
            Set.of(SPEC_VERSION, ID, SOURCE, TYPE, SUBJECT, PARTITION_KEY, DATA_TYPE, TENANT);
    /** What no header may be called as an extension. */
    private static final Set<String> TAKEN = Stream.concat(PLACED.stream(), Stream.of(TIME, "dataschema", "data"))
            .collect(Collectors.toUnmodifiableSet());

    private static final Pattern EXTENSION = Pattern.compile("[a-z0-9]+");
    /** Extensions are in lower case; these headers are known in another. */
    private static final Map<String, String> HEADERS = Stream.of(
                    Headers.CORRELATION_ID,
                    Headers.CAUSATION_ID,
                    Headers.USER_ID,
                    Headers.REPLAY_OF,
                    Headers.MESSAGE_ID,
                    Headers.ONLY_FOR)
            .collect(Collectors.toUnmodifiableMap(name -> name.toLowerCase(Locale.ROOT), Function.identity()));

    /** Where the trace context is also looked for: who relays a message may have put it beside. */
    private static final List<String> BESIDE = List.of(Headers.TRACEPARENT, Headers.TRACESTATE);

    static String requireSource(URI source) {
        if (source.toString().isEmpty()) {
            throw new IllegalArgumentException("the source of CloudEvents is a URI or a path, got an empty one");
        }
        return source.toString();
    }

    // ---- to a message -----------------------------------------------------------------------------------------------

    static CloudEvent of(StoredEvent event, String source) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(SPEC_VERSION, "1.0");
        attributes.put(ID, event.id().toString());
        attributes.put(SOURCE, source);
        attributes.put(TYPE, event.type());
        if (event.key() != null) {
            attributes.put(SUBJECT, event.key());
            attributes.put(PARTITION_KEY, event.key());
        }
        attributes.put(TIME, Timestamps.text(event.appendedAt()));
        attributes.put(DATA_TYPE, JSON);
        if (event.tenant() != null) {
            attributes.put(TENANT, event.tenant());
        }
        event.headers().without(Headers.ONLY_FOR).values().forEach((name, value) -> extend(attributes, name, value));
        return new CloudEvent(attributes, event.payload());
    }

    private static void extend(Map<String, String> attributes, String header, String value) {
        String name = header.toLowerCase(Locale.ROOT);
        if (EXTENSION.matcher(name).matches() && !TAKEN.contains(name)) {
            attributes.putIfAbsent(name, value);
        }
    }

    Message structured() {
        Map<String, String> headers = Map.of(Message.CONTENT_TYPE, CloudEventJson.MEDIA_TYPE);
        return new Message(headers, CloudEventJson.write(this).getBytes(StandardCharsets.UTF_8));
    }

    Message binary(CloudEventHeaders form) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Message.CONTENT_TYPE, JSON);
        attributes.forEach((name, value) -> {
            if (!name.equals(DATA_TYPE)) {
                headers.put(form.name(name), form.write(value));
            }
        });
        return new Message(headers, data.getBytes(StandardCharsets.UTF_8));
    }

    // ---- from a message ---------------------------------------------------------------------------------------------

    /** The CloudEvent that this message is, or null if it is none. */
    static @Nullable CloudEvent of(Message message) {
        String type = header(message, Message.CONTENT_TYPE);
        String media = type == null ? "" : type.toLowerCase(Locale.ROOT);
        if (media.startsWith("application/cloudevents")) {
            return CloudEventJson.read(media, Decoding.text(message.body())).beside(message);
        }
        CloudEventHeaders form = CloudEventHeaders.in(message);
        return form == null
                ? null
                : new CloudEvent(form.attributes(message.headers()), CloudEventJson.data(media, message.body()))
                        .beside(message);
    }

    private CloudEvent beside(Message message) {
        Map<String, String> more = new LinkedHashMap<>(attributes);
        for (String name : BESIDE) {
            String value = header(message, name);
            if (value != null) {
                more.putIfAbsent(name, value);
            }
        }
        return new CloudEvent(more, data);
    }

    private static @Nullable String header(Message message, String name) {
        return message.headers().entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase(name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    Incoming incoming(Decoding.Origin origin) {
        if (!required(SPEC_VERSION).startsWith("1.")) {
            throw new IllegalArgumentException(
                    "CloudEvents 1.0 can be read, got specversion '" + required(SPEC_VERSION) + "'");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        attributes.forEach((name, value) -> {
            if (!PLACED.contains(name)) {
                headers.put(HEADERS.getOrDefault(name, name), value);
            }
        });
        String id = required(ID);
        String known = MessageId.uuid(id) != null ? id : required(SOURCE) + " " + id;
        Event event = Event.of(required(TYPE), Payload.json(data)).headers(new Headers(headers));
        return Decoding.incoming(known, event, key(origin), attributes.get(TENANT), origin);
    }

    private @Nullable String key(Decoding.Origin origin) {
        String key = attributes.getOrDefault(PARTITION_KEY, attributes.get(SUBJECT));
        return key != null ? key : origin.key();
    }

    private String required(String attribute) {
        String value = attributes.get(attribute);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException("the CloudEvent has no '" + attribute + "'");
        }
        return value;
    }
}
