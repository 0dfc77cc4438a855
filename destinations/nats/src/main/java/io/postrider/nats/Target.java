package io.postrider.nats;

import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the events of a topic go.
 *
 * @param route the rule that says so, if there are rules
 * @param refusal why they cannot go anywhere, or null if they can
 */
record Target(
        String subject, @Nullable Route route, @Nullable Outcome refusal) {

    @Nullable
    String stream() {
        return route == null ? null : route.stream();
    }

    /** Says that no stream takes it. */
    Outcome untaken() {
        return Outcome.dead(
                "no stream takes the subject '" + subject + "'" + (route == null ? "" : " of route " + route));
    }

    /** Finds targets, and remembers those of the topics that are common. Thread-safe. */
    static final class Finder {
        /** Where topics are made of ids there is no end to them. */
        private static final int REMEMBERED_MAX = 10_000;

        private final Topics topics;
        private final List<Route> routes;
        private final Map<String, Target> remembered = new ConcurrentHashMap<>();

        Finder(Topics topics, List<Route> routes) {
            this.topics = topics;
            this.routes = routes;
        }

        Target of(StoredEvent event) {
            String topic = topics.topic().apply(event);
            Target known = remembered.get(topic);
            return known != null ? known : find(topic);
        }

        private Target find(String topic) {
            Target found = target(topic);
            if (remembered.size() < REMEMBERED_MAX) {
                remembered.put(topic, found);
            }
            return found;
        }

        private Target target(String topic) {
            String subject = topics.prefix() + topic;
            String reason = Subjects.illegal(subject, topics.unicode());
            if (reason != null) {
                return new Target(
                        subject,
                        null,
                        Outcome.dead("nothing can be published to the subject '" + subject + "': " + reason));
            }
            Optional<Route> route =
                    routes.stream().filter(rule -> rule.takes(topic)).findFirst();
            if (route.isEmpty() && !routes.isEmpty()) {
                return new Target(
                        subject, null, Outcome.dead("no route takes the topic '" + topic + "'; there are " + routes));
            }
            return new Target(subject, route.orElse(null), null);
        }
    }
}
