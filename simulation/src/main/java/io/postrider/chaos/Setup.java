package io.postrider.chaos;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The cluster that a scenario strikes at.
 *
 * @param nodes engine nodes that share the work
 * @param wired whether nodes reach PostgreSQL through a {@link Wire} of their own
 * @param postgres settings of PostgreSQL
 * @param program the main class of a node, and arguments that it takes beyond those of every node
 * @param duplicatesMax events that may arrive a second time; a crash allows any number
 */
record Setup(int nodes, boolean wired, Map<String, String> postgres, List<String> program, int duplicatesMax) {
    private static final int ANY_NUMBER = Integer.MAX_VALUE;

    /** Three nodes with a direct way to a PostgreSQL with default settings. */
    static final Setup PLAIN = new Setup(3, false, Map.of(), List.of(DeliveryNode.class.getName()), ANY_NUMBER);

    /** The same, with a wire between each node and PostgreSQL. */
    static final Setup WIRED = new Setup(3, true, Map.of(), PLAIN.program, ANY_NUMBER);

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
        return new Setup(nodes, wired, more, program, duplicatesMax);
    }

    Setup duplicatesMax(int most) {
        return new Setup(nodes, wired, postgres, program, most);
    }

    Setup nodes(int number) {
        return new Setup(number, wired, postgres, program, duplicatesMax);
    }

    Setup program(String mainClass, String... arguments) {
        List<String> command =
                Stream.concat(Stream.of(mainClass), Stream.of(arguments)).toList();
        return new Setup(nodes, wired, postgres, command, duplicatesMax);
    }
}
