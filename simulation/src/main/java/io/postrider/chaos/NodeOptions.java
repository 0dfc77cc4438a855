package io.postrider.chaos;

import io.postrider.policy.NodeLimits;
import io.postrider.postgres.PostgresStoreConfig;
import java.time.Duration;
import java.util.List;

/**
 * What can be different from node to node, as it travels on the command line.
 *
 * @param types of events that it handles
 * @param segmentSize positions in a segment of the log
 * @param retain how long the log keeps events
 * @param pruneEvery how often it prunes
 */
record NodeOptions(List<String> types, long segmentSize, Duration retain, Duration pruneEvery) {
    private static final int COUNT = 4;

    static final NodeOptions DEFAULT = new NodeOptions(
            List.of(NumberedEvent.TYPE),
            PostgresStoreConfig.DEFAULT.segmentSize(),
            NodeLimits.DEFAULT.retain(),
            NodeLimits.DEFAULT.pruneEvery());

    NodeOptions {
        types = List.copyOf(types);
        if (types.isEmpty()) {
            throw new IllegalArgumentException("a node handles at least one type, got none");
        }
    }

    NodeOptions types(String... types) {
        return new NodeOptions(List.of(types), segmentSize, retain, pruneEvery);
    }

    NodeOptions segmentSize(long positions) {
        return new NodeOptions(types, positions, retain, pruneEvery);
    }

    NodeOptions retain(Duration time) {
        return new NodeOptions(types, segmentSize, time, pruneEvery);
    }

    NodeOptions pruneEvery(Duration time) {
        return new NodeOptions(types, segmentSize, retain, time);
    }

    List<String> arguments() {
        return List.of(String.join(",", types), Long.toString(segmentSize), retain.toString(), pruneEvery.toString());
    }

    /** The defaults if there are no arguments. */
    static NodeOptions parse(List<String> arguments) {
        if (arguments.isEmpty()) {
            return DEFAULT;
        }
        if (arguments.size() != COUNT) {
            throw new IllegalArgumentException("a node has " + COUNT + " options or none, got " + arguments);
        }
        return new NodeOptions(
                List.of(arguments.get(0).split(",")),
                Long.parseLong(arguments.get(1)),
                Duration.parse(arguments.get(2)),
                Duration.parse(arguments.get(3)));
    }

    PostgresStoreConfig store() {
        return PostgresStoreConfig.DEFAULT.segmentSize(segmentSize);
    }

    NodeLimits.Builder limits() {
        return NodeLimits.builder().retain(retain).pruneEvery(pruneEvery);
    }
}
