package io.postrider.redis;

import io.postrider.text.TypePattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Who wants what. A channel or pattern of Redis is subscribed once, however many want it. Redis' {@code *} also stands
 * for dots, so that a pattern of types is looked at again here. Thread-safe.
 */
final class BusRoutes {
    private final Map<Route, List<Subscriber>> subscribers = new LinkedHashMap<>();

    /** A subscription at Redis: a channel, or a pattern of channels. */
    record Route(String channel, boolean isPattern) {
        static Route of(TypePattern type) {
            return type.isExact()
                    ? new Route(RedisBus.CHANNEL + type.text(), false)
                    : new Route(RedisBus.CHANNEL + glob(type.text()), true);
        }

        private static String glob(String type) {
            StringBuilder glob = new StringBuilder();
            for (int i = 0; i < type.length(); i++) {
                char c = type.charAt(i);
                if (c == '*') {
                    glob.append('*');
                    i += type.startsWith("**", i) ? 1 : 0;
                } else {
                    glob.append("?[]\\".indexOf(c) >= 0 ? "\\" : "").append(c);
                }
            }
            return glob.toString();
        }
    }

    /** A handler, and the types it wants of a route. */
    record Subscriber(Route route, Predicate<String> wants, BusHandler handler) {
        static Subscriber of(TypePattern type, BusHandler handler) {
            Pattern pattern = type.compile();
            return new Subscriber(Route.of(type), each -> pattern.matcher(each).matches(), handler);
        }
    }

    /** True if its route is new. */
    synchronized boolean add(Subscriber subscriber) {
        List<Subscriber> others = subscribers.computeIfAbsent(subscriber.route(), route -> new ArrayList<>());
        return others.add(subscriber) && others.size() == 1;
    }

    /** True if nobody is left on its route. */
    synchronized boolean remove(Subscriber subscriber) {
        List<Subscriber> others = subscribers.getOrDefault(subscriber.route(), List.of());
        if (!others.remove(subscriber) || !others.isEmpty()) {
            return false;
        }
        subscribers.remove(subscriber.route());
        return true;
    }

    synchronized Set<Route> routes() {
        return Set.copyOf(subscribers.keySet());
    }

    /** The handlers that want what came by this route to this channel, in the order in which they subscribed. */
    synchronized List<BusHandler> handlers(Route route, String channel) {
        String type = channel.substring(RedisBus.CHANNEL.length());
        return subscribers.getOrDefault(route, List.of()).stream()
                .filter(subscriber -> subscriber.wants().test(type))
                .map(Subscriber::handler)
                .toList();
    }
}
