package io.postrider.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a line of the report says: a number, or why there is none. */
public sealed interface Figure {

    /** A number, or text. */
    @JsonValue
    Object json();

    String text();

    record Measured(double value) implements Figure {
        @Override
        public Object json() {
            return value;
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, value < 100 ? "%,.2f" : "%,.0f", value);
        }
    }

    record Missing(String reason) implements Figure {
        @Override
        public Object json() {
            return reason;
        }

        @Override
        public String text() {
            return reason;
        }
    }
}
