package io.postrider.webhook;

import io.postrider.StoredEvent;
import io.postrider.text.TypePattern;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which endpoint takes an event. Asked for each event, on a thread of the destination's, so that it may look into a
 * database. Implementations are safe for use by several threads.
 */
@FunctionalInterface
public interface Endpoints {

    /**
     * The endpoint of this event. An event that has none is dead: a subscription's filter is the place to leave it out.
     * If this throws, the event is tried again later.
     */
    Optional<EndpointConfig> endpoint(StoredEvent event);

    /** All events to one endpoint. */
    static Endpoints one(EndpointConfig endpoint) {
        return new OneEndpoint(endpoint);
    }

    /** Each tenant's events to the tenant's own endpoint. */
    static Endpoints byTenant(Map<String, EndpointConfig> endpoints) {
        Map<String, EndpointConfig> known = Map.copyOf(endpoints);
        return event -> event.tenant() == null ? Optional.empty() : Optional.ofNullable(known.get(event.tenant()));
    }

    /** Events to the endpoint of the first pattern that takes their type. */
    static Endpoints byType(Map<TypePattern, EndpointConfig> endpoints) {
        Map<Pattern, EndpointConfig> known = new LinkedHashMap<>();
        endpoints.forEach((pattern, endpoint) -> known.put(pattern.compile(), endpoint));
        return event -> known.entrySet().stream()
                .filter(entry -> entry.getKey().matcher(event.type()).matches())
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
