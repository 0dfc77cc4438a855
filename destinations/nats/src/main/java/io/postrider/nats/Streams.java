package io.postrider.nats;

import java.util.List;

/**
 * Which streams there have to be, and which of them has the events of which topics.
 *
 * @param policy what is done about streams that are missing or different
 * @param specs streams as they have to be
 * @param routes which topics go to which stream; without routes, to whichever stream of the server takes the subject
 */
public record Streams(Policy policy, List<StreamSpec> specs, List<Route> routes) {

    /** The action taken about streams that are missing or different. */
    public enum Policy {
        /** Nothing: it is an error. */
        VERIFY,
        /** A missing one is created, a different one is an error. */
        CREATE,
        /** A missing one is created, a different one is changed. */
        UPDATE
    }

    public Streams {
        specs = List.copyOf(specs);
        routes = List.copyOf(routes);
        if (specs.stream().map(StreamSpec::name).distinct().count() < specs.size()) {
            throw new IllegalArgumentException("two specs for one stream: "
                    + specs.stream().map(StreamSpec::name).toList());
        }
    }

    /** Whatever streams the server has. */
    public static Streams existing() {
        return new Streams(Policy.VERIFY, List.of(), List.of());
    }

    public static Streams verify(StreamSpec... specs) {
        return new Streams(Policy.VERIFY, List.of(specs), List.of());
    }

    public static Streams create(StreamSpec... specs) {
        return new Streams(Policy.CREATE, List.of(specs), List.of());
    }

    public static Streams update(StreamSpec... specs) {
        return new Streams(Policy.UPDATE, List.of(specs), List.of());
    }

    public Streams routes(Route... routes) {
        return new Streams(policy, specs, List.of(routes));
    }
}
