package io.postrider;

import io.postrider.observe.Observer;
import io.postrider.policy.NodeLimits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a node is set up.
 *
 * @param node the beginning of its name, which people see in the lanes it owns
 * @param limits what it bounds, and what each of its subscriptions does
 * @param suppliedCodec how payloads become JSON and back; by Jackson with its own settings if null
 * @param observers who is told what the node does
 * @param suppliedEnvironment time, threads and randomness, closed by its maker; the machine's own if null
 */
public record PostriderConfig(
        String node,
        NodeLimits limits,
        @Nullable Codec suppliedCodec,
        List<Observer> observers,
        @Nullable Environment suppliedEnvironment) {

    public PostriderConfig {
        observers = List.copyOf(observers);
    }

    public static PostriderConfig defaults() {
        return new PostriderConfig("node", NodeLimits.DEFAULT, null, List.of(), null);
    }

    public PostriderConfig node(String node) {
        return new PostriderConfig(node, limits, suppliedCodec, observers, suppliedEnvironment);
    }

    public PostriderConfig limits(NodeLimits limits) {
        return new PostriderConfig(node, limits, suppliedCodec, observers, suppliedEnvironment);
    }

    /**
     * Reads and writes payloads by this codec, such as {@code JacksonCodec.of(mapper)}. With one that is not Jackson's,
     * no Jackson has to be on the class path.
     */
    public PostriderConfig codec(Codec codec) {
        return new PostriderConfig(node, limits, codec, observers, suppliedEnvironment);
    }

    /**
     * How payloads become JSON and back.
     *
     * @throws IllegalStateException if it is by Jackson, and the class path has none or one that is too old; the
     *     message says which is needed
     */
    public Json json() {
        return new Json(suppliedCodec != null ? suppliedCodec : Jackson.codec());
    }

    /** Adds an observer, which is told what the node does. */
    public PostriderConfig observer(Observer observer) {
        List<Observer> more = new ArrayList<>(observers);
        more.add(observer);
        return new PostriderConfig(node, limits, suppliedCodec, more, suppliedEnvironment);
    }

    public PostriderConfig environment(Environment environment) {
        return new PostriderConfig(node, limits, suppliedCodec, observers, environment);
    }
}
