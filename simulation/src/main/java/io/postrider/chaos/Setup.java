package io.postrider.chaos;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The cluster that a scenario strikes at.
 *
 * @param nodes engine nodes that share the work
 * @param way how PostgreSQL is reached
 * @param postgres settings of PostgreSQL
 * @param program the main class of a node, and arguments that it takes beyond those of every node
 * @param duplicatesMax events that may arrive a second time; a crash allows any number
 */
record Setup(int nodes, Way way, Map<String, String> postgres, List<String> program, int duplicatesMax) {
    private static final int ANY_NUMBER = Integer.MAX_VALUE;

    /** How PostgreSQL is reached. */
    enum Way {
        DIRECT,
        /** Each node has a {@link Wire} of its own; the writers have none. */
        WIRES,
        /** There are two, and everybody has the same wire to the one that is the primary: see {@link ServerPair}. */
        PAIR
    }

    /** Three nodes with a direct way to a PostgreSQL with default settings. */
    static final Setup PLAIN = new Setup(3, Way.DIRECT, Map.of(), List.of(DeliveryNode.class.getName()), ANY_NUMBER);

    /** The same, with a wire between each node and PostgreSQL. */
    static final Setup WIRED = new Setup(3, Way.WIRES, Map.of(), PLAIN.program, ANY_NUMBER);

    /** The same, with a standby that everything committed is on. */
    static final Setup PAIR = new Setup(3, Way.PAIR, Map.of(), PLAIN.program, ANY_NUMBER);

    Setup {
        if (nodes < 1) {
            throw new IllegalArgumentException("a cluster has at least one node, got " + nodes);
        }
        postgres = Map.copyOf(postgres);
        program = List.copyOf(program);
    }

    Setup postgres(String setting, String value) {
        Map<String, String> more = new LinkedHashMap<>(postgres);
        more.put(setting, value);
        return new Setup(nodes, way, more, program, duplicatesMax);
    }

    Setup duplicatesMax(int most) {
        return new Setup(nodes, way, postgres, program, most);
    }

    Setup nodes(int number) {
        return new Setup(number, way, postgres, program, duplicatesMax);
    }

    /** Nodes of the ordinary program. */
    Setup options(NodeOptions options) {
        return program(DeliveryNode.class.getName(), options.arguments().toArray(String[]::new));
    }

    Setup program(String mainClass, String... arguments) {
        List<String> command =
                Stream.concat(Stream.of(mainClass), Stream.of(arguments)).toList();
        return new Setup(nodes, way, postgres, command, duplicatesMax);
    }
}
