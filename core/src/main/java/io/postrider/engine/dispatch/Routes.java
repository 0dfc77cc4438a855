package io.postrider.engine.dispatch;

import io.postrider.destination.Destination;
import io.postrider.text.TypePattern;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which destination takes which event type: an exact name before a pattern, patterns in the order they were given.
 * Types that none takes are outside the subscription's filter. Thread-safe.
 */
public final class Routes {
    /** Types whose route is remembered; beyond it, it is looked up each time. */
    private static final int REMEMBERED_MAX = 10_000;

    private final Map<TypePattern, Destination> destinations;
    private final Map<String, Destination> exact = new HashMap<>();
    private final Map<TypePattern, Pattern> patterns = new LinkedHashMap<>();
    private final Map<String, Optional<Destination>> remembered = new ConcurrentHashMap<>();

    public Routes(Map<TypePattern, Destination> destinations) {
        this.destinations = new LinkedHashMap<>(destinations);
        this.destinations.forEach((pattern, destination) -> {
            if (pattern.isExact()) {
                exact.put(pattern.text(), destination);
            } else {
                patterns.put(pattern, pattern.compile());
            }
        });
    }

    Optional<Destination> route(String type) {
        Optional<Destination> known = remembered.get(type);
        if (known != null) {
            return known;
        }
        Optional<Destination> found = find(type);
        if (remembered.size() < REMEMBERED_MAX) {
            remembered.put(type, found);
        }
        return found;
    }

    Collection<Destination> destinations() {
        return destinations.values();
    }

    /** Names the filter: nodes whose fingerprints differ do not share a subscription. */
    public String fingerprint() {
        return destinations.keySet().stream().map(TypePattern::text).sorted().collect(Collectors.joining(" "));
    }

    private Optional<Destination> find(String type) {
        Destination named = exact.get(type);
        if (named != null) {
            return Optional.of(named);
        }
        return patterns.entrySet().stream()
                .filter(entry -> entry.getValue().matcher(type).matches())
                .map(entry -> destinations.get(entry.getKey()))
                .findFirst();
    }
}
