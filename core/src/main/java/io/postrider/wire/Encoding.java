package io.postrider.wire;

import io.postrider.Headers;
import io.postrider.StoredEvent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** How an event becomes a message. Thread-safe. */
public interface Encoding {

    Message encode(StoredEvent event);

    /** The payload as it was appended; everything else is in headers. */
    static Encoding plain() {
        return event -> new Message(headers(event), event.payload().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A CloudEvent 1.0 as one JSON document (structured mode), with the payload in it as it was appended.
     *
     * <p>The key is its {@code subject} and {@code partitionkey}. Headers are extensions, in lower case; one whose name
     * then has anything but letters and digits, or is that of an attribute, does not travel.
     *
     * @param source the context in which events happened, the CloudEvents attribute: with the id it names an event
     */
    static Encoding cloudEvents(URI source) {
        String context = CloudEvent.requireSource(source);
        return event -> CloudEvent.of(event, context).structured();
    }

    /**
     * A CloudEvent 1.0 whose data is the payload as it was appended, and whose attributes are headers (binary mode).
     * Otherwise as {@link #cloudEvents}.
     *
     * @param prefix what header names begin with: {@code ce-} for HTTP and NATS, where values are percent-encoded, or
     *     {@code ce_} for Kafka, where they are not
     */
    static Encoding cloudEventsBinary(URI source, String prefix) {
        String context = CloudEvent.requireSource(source);
        CloudEventHeaders headers = CloudEventHeaders.of(prefix);
        return event -> CloudEvent.of(event, context).binary(headers);
    }

    private static HeaderTable headers(StoredEvent event) {
        Map<String, String> own = event.headers().values();
        HeaderTable.Builder headers = new HeaderTable.Builder(own.size() + 6);
        own.forEach((name, value) -> {
            if (travels(name)) {
                headers.add(name, value);
            }
        });
        headers.put(Message.ID, event.id().toString());
        headers.put(Message.TYPE, event.type());
        if (event.key() != null) {
            headers.add(Message.KEY, event.key());
        }
        if (event.tenant() != null) {
            headers.add(Message.TENANT, event.tenant());
        }
        headers.put(Message.TIME, Timestamps.text(event.appendedAt()));
        headers.put(Message.CONTENT_TYPE, "application/json");
        return headers.build();
    }

    /** The event's own key and tenant travel in the place of headers that are called so. */
    private static boolean travels(String name) {
        return !name.equals(Headers.ONLY_FOR) // names a subscription of this log, and nothing beyond it
                && !name.equals(Message.KEY)
                && !name.equals(Message.TENANT);
    }
}
