package io.postrider;

import io.postrider.spi.Environment;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * How a node is set up.
 *
 * @param node the beginning of its name, which people see in the lanes it owns
 * @param limits every bound
 * @param json how payloads become JSON and back
 * @param suppliedEnvironment time, threads and randomness, closed by whoever made it; the machine's own if null
 */
public record PostriderConfig(
        String node, Limits limits, Json json, @Nullable Environment suppliedEnvironment) {

    public static PostriderConfig defaults() {
        return new PostriderConfig(
                "node", Limits.DEFAULT, new Json(JsonMapper.builder().build()), null);
    }

    public PostriderConfig node(String node) {
        return new PostriderConfig(node, limits, json, suppliedEnvironment);
    }

    public PostriderConfig limits(Limits limits) {
        return new PostriderConfig(node, limits, json, suppliedEnvironment);
    }

    public PostriderConfig json(JsonMapper mapper) {
        return new PostriderConfig(node, limits, new Json(mapper), suppliedEnvironment);
    }

    public PostriderConfig environment(Environment environment) {
        return new PostriderConfig(node, limits, json, environment);
    }
}
