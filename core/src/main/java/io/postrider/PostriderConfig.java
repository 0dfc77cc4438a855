package io.postrider;

import io.postrider.observe.Observer;
import io.postrider.policy.NodeLimits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * How a node is set up.
 *
 * @param node the beginning of its name, which people see in the lanes it owns
 * @param limits what it bounds, and what each of its subscriptions does
 * @param json how payloads become JSON and back
 * @param observers who is told what the node does
 * @param suppliedEnvironment time, threads and randomness, closed by its maker; the machine's own if null
 */
public record PostriderConfig(
        String node,
        NodeLimits limits,
        Json json,
        List<Observer> observers,
        @Nullable Environment suppliedEnvironment) {

    public PostriderConfig {
        observers = List.copyOf(observers);
    }

    public static PostriderConfig defaults() {
        return new PostriderConfig(
                "node", NodeLimits.DEFAULT, new Json(JsonMapper.builder().build()), List.of(), null);
    }

    public PostriderConfig node(String node) {
        return new PostriderConfig(node, limits, json, observers, suppliedEnvironment);
    }

    public PostriderConfig limits(NodeLimits limits) {
        return new PostriderConfig(node, limits, json, observers, suppliedEnvironment);
    }

    /**
     * Reads and writes payloads by this mapper. Jackson's own settings, which are the default here, ignore unknown
     * fields and leave missing ones null; {@code DeserializationFeature} has stricter ones.
     */
    public PostriderConfig json(JsonMapper mapper) {
        return new PostriderConfig(node, limits, new Json(mapper), observers, suppliedEnvironment);
    }

    /** Adds an observer, which is told what the node does. */
    public PostriderConfig observer(Observer observer) {
        List<Observer> more = new ArrayList<>(observers);
        more.add(observer);
        return new PostriderConfig(node, limits, json, more, suppliedEnvironment);
    }

    public PostriderConfig environment(Environment environment) {
        return new PostriderConfig(node, limits, json, observers, environment);
    }
}
