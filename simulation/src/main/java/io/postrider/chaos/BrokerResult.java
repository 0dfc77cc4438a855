package io.postrider.chaos;

import java.util.ArrayList;
import java.util.List;

/**
 * What became of a scenario with a broker.
 *
 * @param figures what was measured, in the order in which it is told
 * @param broken promises that were not kept, each as a sentence
 */
record BrokerResult(String scenario, String sentence, List<Figure> figures, List<String> broken) {

    /** Something that was measured. */
    record Figure(String name, String value) {}

    BrokerResult {
        figures = List.copyOf(figures);
        broken = List.copyOf(broken);
    }

    boolean held() {
        return broken.isEmpty();
    }

    /** Collects what is found. Not thread-safe. */
    static final class Findings {
        private final List<Figure> figures = new ArrayList<>();
        private final List<String> broken = new ArrayList<>();

        Findings figure(String name, Object value) {
            figures.add(new Figure(name, String.valueOf(value)));
            return this;
        }

        /** A figure that has to be exactly this. */
        Findings exactly(String name, long wanted, long found) {
            return promise(found == wanted, name + ": " + found + " instead of " + wanted)
                    .figure(name, found);
        }

        /** Something that has to be so. */
        Findings promise(boolean kept, String otherwise) {
            if (!kept) {
                broken.add(otherwise);
            }
            return this;
        }

        BrokerResult of(BrokerScenario scenario) {
            return new BrokerResult(scenario.name(), scenario.sentence(), figures, broken);
        }
    }
}
