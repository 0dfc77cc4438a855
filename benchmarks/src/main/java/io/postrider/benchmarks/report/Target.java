package io.postrider.benchmarks.report;

import java.util.Locale;

/** What a figure has to reach, or to stay under. */
public sealed interface Target {

    boolean met(double figure);

    static Target atLeast(double bound) {
        return new AtLeast(bound);
    }

    static Target atMost(double bound) {
        return new AtMost(bound);
    }

    record AtLeast(double bound) implements Target {
        @Override
        public boolean met(double figure) {
            return figure >= bound;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, ">= %.2f", bound);
        }
    }

    record AtMost(double bound) implements Target {
        @Override
        public boolean met(double figure) {
            return figure <= bound;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "<= %.2f", bound);
        }
    }
}
