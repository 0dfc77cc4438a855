package io.postrider.chaos;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The cluster that a scenario strikes at.
 *
 * @param nodes engine nodes that share the work
 * @param wired whether nodes reach PostgreSQL through a {@link Wire} of their own
 * @param postgres settings of PostgreSQL
 * @param duplicatesMax events that may arrive a second time; a crash allows any number
 */
record Setup(int nodes, boolean wired, Map<String, String> postgres, int duplicatesMax) {
    private static final int ANY_NUMBER = Integer.MAX_VALUE;

    /** Three nodes with a direct way to a PostgreSQL with default settings. */
    static final Setup PLAIN = new Setup(3, false, Map.of(), ANY_NUMBER);

    /** The same, with a wire between each node and PostgreSQL. */
    static final Setup WIRED = new Setup(3, true, Map.of(), ANY_NUMBER);

    Setup {
        if (nodes < 1) {
            throw new IllegalArgumentException("a cluster has at least one node, got " + nodes);
        }
        postgres = Map.copyOf(postgres);
    }

    Setup postgres(String setting, String value) {
        Map<String, String> more = new LinkedHashMap<>(postgres);
        more.put(setting, value);
        return new Setup(nodes, wired, more, duplicatesMax);
    }

    Setup duplicatesMax(int most) {
        return new Setup(nodes, wired, postgres, most);
    }
}
